-- The schema of 1.0.0. PostgreSQL has the same tables (../../postgres/migrations/0001-initial.sql). Times ending in
-- _at are in milliseconds since the Unix epoch; dates are text, YYYY-MM-DD.

-- The database itself --------------------------------------------------------------------------------------------

-- One row: what kind of deployment the database belongs to.
CREATE TABLE deployment (
  environment TEXT NOT NULL CHECK (environment IN ('production', 'staging')),
  -- Tells this database from any other; a copy of the file has the same.
  id TEXT NOT NULL DEFAULT '',
  -- The id with a number that only grows: tells an older copy of the file.
  mark TEXT NOT NULL DEFAULT '',
  -- While the schema has the version shared_version, releases that know version shared_from may use it too.
  shared_version INTEGER NOT NULL DEFAULT 0,
  shared_from INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Animals --------------------------------------------------------------------------------------------------------

CREATE TABLE categories (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL CHECK (length(name) >= 1),
  name_folded TEXT NOT NULL UNIQUE
) STRICT;

-- AUTOINCREMENT, so that the id of a removed animal is never given again.
CREATE TABLE pets (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL CHECK (length(name) >= 1),
  name_folded TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  external_id TEXT,
  -- Whether it has ever had another status than sold.
  was_offered INTEGER NOT NULL CHECK (was_offered IN (0, 1)),
  added_at INTEGER NOT NULL
) STRICT;
-- Each ends in the id (SQLite adds it), so a filtered page is read in order from where it begins.
CREATE INDEX pets_by_status ON pets (status);
CREATE INDEX pets_by_category ON pets (category_id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status);
CREATE UNIQUE INDEX pets_by_external_id ON pets (external_id) WHERE external_id IS NOT NULL;

-- What is known of an animal besides its own row: JSON with the fields that are known.
CREATE TABLE profiles (
  pet_id INTEGER NOT NULL PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
  public TEXT NOT NULL,
  -- What only staff may know.
  private TEXT NOT NULL
) STRICT;

-- Photos. No reference to their bytes: they may be elsewhere.
CREATE TABLE photos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pet_id INTEGER NOT NULL REFERENCES pets (id) ON DELETE CASCADE,
  -- Of the JPEG that is kept. It names the files.
  sha256 TEXT NOT NULL,
  alt TEXT NOT NULL,
  position INTEGER NOT NULL,
  -- The focus, in millionths of the width and the height.
  focus_x INTEGER NOT NULL,
  focus_y INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  UNIQUE (pet_id, sha256)
) STRICT;
CREATE INDEX photos_by_file ON photos (sha256);

-- The files of photos, such as `…-640.webp`. One that no photo names any more is removed in small steps.
CREATE TABLE photo_files (
  name TEXT NOT NULL PRIMARY KEY,
  -- When it was stored last. Negative since its removal from a bucket began: nobody may rely on it then.
  stored_at INTEGER NOT NULL,
  -- NULL if the bytes are in a bucket.
  content BLOB
) STRICT;

-- Removed animals, with all that brings them back. The private fields of a removed animal are nowhere else.
CREATE TABLE removed_pets (
  pet_id INTEGER NOT NULL PRIMARY KEY,
  removed_at INTEGER NOT NULL,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  external_id TEXT,
  was_offered INTEGER NOT NULL,
  added_at INTEGER NOT NULL,
  -- As in profiles; NULL without one.
  public TEXT,
  private TEXT
) STRICT;
CREATE INDEX removed_pets_by_time ON removed_pets (removed_at);

-- Their photos, as in photos.
CREATE TABLE removed_photos (
  photo_id INTEGER NOT NULL PRIMARY KEY,
  pet_id INTEGER NOT NULL REFERENCES removed_pets (pet_id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL,
  alt TEXT NOT NULL,
  position INTEGER NOT NULL,
  focus_x INTEGER NOT NULL,
  focus_y INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL
) STRICT;
CREATE INDEX removed_photos_by_pet ON removed_photos (pet_id);
CREATE INDEX removed_photos_by_file ON removed_photos (sha256);

-- When and how animals came and left. No reference: a stay outlives its animal, for the reports.
CREATE TABLE stays (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id INTEGER NOT NULL,
  intake_date TEXT NOT NULL,
  intake_type TEXT,
  outcome_date TEXT CHECK (outcome_date >= intake_date),
  outcome_type TEXT CHECK ((outcome_type IS NULL) = (outcome_date IS NULL)),
  note TEXT,
  -- What the report counts by: from the profile, which a stay outlives. The age is that at the intake.
  species TEXT NOT NULL DEFAULT 'unknown',
  age TEXT NOT NULL DEFAULT 'unknown'
) STRICT;
CREATE INDEX stays_by_pet ON stays (pet_id);
CREATE UNIQUE INDEX stays_open ON stays (pet_id) WHERE outcome_date IS NULL;
CREATE INDEX stays_by_outcome ON stays (outcome_date, intake_date, outcome_type, intake_type, species, age);

-- The two lists of animals: a row follows from the animal and its profile, and is written with them ------------------

-- What staff work with. No reference: removed animals are in it too.
CREATE TABLE animals (
  pet_id INTEGER NOT NULL PRIMARY KEY,
  state TEXT NOT NULL CHECK (state IN ('here', 'left', 'removed')),
  status TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  species TEXT,
  care TEXT,
  care_until TEXT,
  -- 1 or 0.
  published INTEGER NOT NULL,
  has_photo INTEGER NOT NULL DEFAULT 0,
  -- The first day of the newest stay.
  since TEXT NOT NULL,
  -- Folded. U+10FFFD for animals without a place.
  name TEXT NOT NULL,
  location TEXT NOT NULL,
  -- Its folded words, each once, separated by spaces.
  words TEXT NOT NULL
) STRICT;
-- One for each order, with what a filter reads, so that rows are fetched only for the page.
CREATE INDEX animals_by_name ON animals
  (name, pet_id, state, status, category_id, species, care, published, has_photo);
CREATE INDEX animals_by_since ON animals
  (since, pet_id, state, status, category_id, species, care, published, has_photo);
CREATE INDEX animals_by_location ON animals
  (location, pet_id, state, status, category_id, species, care, published, has_photo);
-- For values that few animals have. One that was just added is in the first alone, so that additions stay cheap.
CREATE INDEX animals_here ON animals (published, has_photo, status) WHERE state = 'here';
CREATE INDEX animals_gone ON animals (state) WHERE state <> 'here';
CREATE INDEX animals_of_status ON animals (status) WHERE status <> 'available';
CREATE INDEX animals_of_species ON animals (species) WHERE species IS NOT NULL;
CREATE INDEX animals_of_care ON animals (care) WHERE care IS NOT NULL;
CREATE INDEX animals_published ON animals (published) WHERE published = 1;
CREATE INDEX animals_with_photo ON animals (has_photo) WHERE has_photo = 1;
CREATE INDEX animals_held ON animals (care_until)
  WHERE state = 'here' AND care IN ('quarantine', 'medical', 'hold');
CREATE TRIGGER animal_forgotten AFTER DELETE ON removed_pets
WHEN NOT EXISTS (SELECT 1 FROM pets WHERE id = old.pet_id)
BEGIN
  DELETE FROM animals WHERE pet_id = old.pet_id;
END;

-- What the public sees, with what it is found and sorted by.
CREATE TABLE listings (
  pet_id INTEGER NOT NULL PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  species TEXT NOT NULL,
  sex TEXT,
  size TEXT,
  birth_date TEXT,
  -- Only without a birth date: with one, the group depends on the day.
  age_group TEXT,
  -- 1 or 0.
  dogs INTEGER NOT NULL,
  cats INTEGER NOT NULL,
  -- The age in years of the youngest child that it fits; NULL if it is not known to fit any.
  child_age INTEGER,
  -- The date since which the animal waits.
  since TEXT NOT NULL,
  -- The folded name.
  name TEXT NOT NULL,
  -- Where the animal is in the ring that the fair order starts at another place of each day.
  place INTEGER NOT NULL,
  -- Its folded words, each once, separated by spaces; and those of its breeds.
  words TEXT NOT NULL,
  breed TEXT,
  breed_name TEXT,
  -- Since when the public sees it.
  listed_at INTEGER NOT NULL DEFAULT 0,
  -- When what the public sees last changed.
  shown_at INTEGER NOT NULL DEFAULT 0,
  -- 1 or 0. To look for those without a photo among 100,000 would take 50 ms.
  has_photo INTEGER NOT NULL DEFAULT 0
) STRICT;
-- One for each order, with what a filter reads, so that rows are fetched only for the page. The fair order is one
-- of those that are free, and then one of those that are reserved.
CREATE INDEX listings_by_place ON listings
  (status, place, pet_id, species, sex, size, birth_date, age_group, dogs, cats, child_age, category_id);
CREATE INDEX listings_by_name ON listings
  (name, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, child_age, category_id);
CREATE INDEX listings_by_since ON listings
  (since, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, child_age, category_id);
CREATE INDEX listings_by_listed_at ON listings
  (listed_at, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, child_age, category_id);
-- In the order in which the listings are counted.
CREATE INDEX listings_by_value ON listings
  (species, sex, size, status, category_id, dogs, cats, child_age, age_group, birth_date);
-- What is on the work list.
CREATE INDEX listings_without_photo ON listings (pet_id) WHERE has_photo = 0;

-- Whether they have a photo follows from the photos.
CREATE TRIGGER animal_photo_found AFTER INSERT ON animals
WHEN EXISTS (SELECT 1 FROM photos WHERE pet_id = new.pet_id)
BEGIN
  UPDATE animals SET has_photo = 1 WHERE pet_id = new.pet_id;
END;
CREATE TRIGGER animal_photo_added AFTER INSERT ON photos
BEGIN
  UPDATE animals SET has_photo = 1 WHERE pet_id = new.pet_id AND has_photo = 0;
END;
CREATE TRIGGER animal_photo_removed AFTER DELETE ON photos
WHEN NOT EXISTS (SELECT 1 FROM photos WHERE pet_id = old.pet_id)
BEGIN
  UPDATE animals SET has_photo = 0 WHERE pet_id = old.pet_id AND state <> 'removed';
END;
CREATE TRIGGER listing_photo_found AFTER INSERT ON listings
WHEN EXISTS (SELECT 1 FROM photos WHERE pet_id = new.pet_id)
BEGIN
  UPDATE listings SET has_photo = 1 WHERE pet_id = new.pet_id;
END;
CREATE TRIGGER listing_photo_added AFTER INSERT ON photos
BEGIN
  UPDATE listings SET has_photo = 1 WHERE pet_id = new.pet_id AND has_photo = 0;
END;
CREATE TRIGGER listing_photo_removed AFTER DELETE ON photos
WHEN NOT EXISTS (SELECT 1 FROM photos WHERE pet_id = old.pet_id)
BEGIN
  UPDATE listings SET has_photo = 0 WHERE pet_id = old.pet_id;
END;

-- Adoptions ------------------------------------------------------------------------------------------------------

CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  -- No reference: a closed order outlives its animal, and ids are never given again.
  pet_id INTEGER NOT NULL,
  adopter TEXT,
  -- How to reach who adopts, and what else is to be remembered of the adoption.
  contact TEXT,
  note TEXT,
  -- Of an adoption that began as an enquiry: what it says of the adopter. It is erased with the enquiry.
  answers TEXT,
  -- 1 once the enquiry is erased: at its end the order says nothing more of the adopter.
  erased_at_end INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL CHECK (status IN ('placed', 'approved', 'completed', 'cancelled')),
  placed_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- When it took each of its steps.
  approved_at INTEGER,
  completed_at INTEGER,
  cancelled_at INTEGER,
  returned_at INTEGER,
  return_reason TEXT
) STRICT;
CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX orders_by_pet ON orders (pet_id);
CREATE INDEX orders_by_completion ON orders (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX orders_open_by_time ON orders (placed_at) WHERE status IN ('placed', 'approved');
-- Two people, one animal: the database itself refuses a second open order.
CREATE UNIQUE INDEX orders_open_by_pet ON orders (pet_id) WHERE status IN ('placed', 'approved');
-- Finished orders that still say who adopted.
CREATE INDEX orders_to_erase ON orders (updated_at)
  WHERE status IN ('completed', 'cancelled')
    AND coalesce(adopter, contact, note, return_reason, answers) IS NOT NULL;

-- The change log (docs/decisions/0021-change-log.md) --------------------------------------------------------------

-- A row is written in the transaction of its change, with the record as it was right after it. AUTOINCREMENT, so
-- that the ids go on where a restored database stopped.
CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  key_id INTEGER,
  record_id INTEGER,
  name TEXT,
  category_id INTEGER,
  status TEXT,
  pet_id INTEGER,
  placed_at INTEGER,
  updated_at INTEGER,
  -- JSON: the public profile of an animal, or a photo.
  data TEXT,
  -- JSON: the fields that a change changed, {"name": ["Rex", "Max"]}, or `true` in place of the values of a personal
  -- field. NULL where the other columns say all.
  changed TEXT,
  -- What a change is about that is no event, such as a key; NULL for events.
  subject_id INTEGER,
  -- The import that made the change.
  import_id INTEGER
) STRICT;
-- What happened to an animal: its own rows, and those of its parts and adoptions.
CREATE INDEX changes_by_record ON changes (record_id);
CREATE INDEX changes_by_pet ON changes (pet_id) WHERE pet_id IS NOT NULL;
-- The audit shows an import as one line. The other lines are found without reading what imports wrote.
CREATE INDEX changes_by_import ON changes (import_id) WHERE import_id IS NOT NULL;
CREATE INDEX changes_by_hand ON changes (id) WHERE import_id IS NULL;
CREATE INDEX changes_by_key ON changes (key_id) WHERE import_id IS NULL;
CREATE INDEX changes_by_type ON changes (type) WHERE import_id IS NULL AND type <> 'pet.created';

-- One row: the first change that is still an event. Those before it are there for the audit alone.
CREATE TABLE event_start (
  only_one INTEGER NOT NULL PRIMARY KEY CHECK (only_one = 1),
  first_id INTEGER NOT NULL
) STRICT;

-- Keys and people -------------------------------------------------------------------------------------------------

-- A person is a key of that kind. Its plan is stored as business, which has the same limits.
CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  kind TEXT NOT NULL DEFAULT 'program' CHECK (kind IN ('program', 'person')),
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  name TEXT NOT NULL,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  per_minute INTEGER CHECK (per_minute >= 1),
  per_day INTEGER CHECK (per_day >= 1),
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  -- How long a key was meant to live, which a rotation of it does not change; NULL where it has no end.
  lifetime INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER,
  -- When a ban of the key was lifted last; servers follow it when they read the key again.
  unbanned_at INTEGER,
  -- A successor knows the key that it replaces, and the first key of its family: counts and results of idempotent
  -- requests are kept under that one. No references: an ended key can be removed before its successors.
  predecessor_id INTEGER,
  family_id INTEGER,
  CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
  CHECK ((plan = 'enterprise') = (per_day IS NOT NULL))
) STRICT;
CREATE INDEX api_keys_by_family ON api_keys (family_id) WHERE family_id IS NOT NULL;

CREATE TABLE people (
  key_id INTEGER PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  -- In lower case. NULL for somebody who was removed: their address is free.
  email_folded TEXT UNIQUE,
  -- What the person has chosen; NULL to follow the browser.
  language TEXT,
  -- NULL until the person has chosen a password.
  password_hash TEXT,
  -- The last invitation, until it is used.
  invitation_hash TEXT UNIQUE,
  invited_until INTEGER
) STRICT;

-- Who is signed in to the console. A cookie holds the token; only its hash is stored.
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_by_key ON sessions (key_id, last_used_at);

-- What each key has used of its limits, written back once a second.
CREATE TABLE allowances (
  key_id INTEGER PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  minute_start INTEGER NOT NULL,
  minute_used INTEGER NOT NULL,
  minute_other_start INTEGER NOT NULL,
  minute_other_used INTEGER NOT NULL,
  day_start INTEGER NOT NULL,
  day_used INTEGER NOT NULL,
  day_other_start INTEGER NOT NULL,
  day_other_used INTEGER NOT NULL,
  refusals_start INTEGER NOT NULL,
  refusals INTEGER NOT NULL,
  bans INTEGER NOT NULL,
  banned_until INTEGER NOT NULL,
  lifted_at INTEGER NOT NULL
) STRICT;

-- Requests of each key by hour and by day of UTC.
CREATE TABLE usage_counts (
  key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  period TEXT NOT NULL CHECK (period IN ('hour', 'day')),
  -- In milliseconds, as the times.
  start INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (key_id, period, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX usage_counts_by_start ON usage_counts (period, start);

CREATE TABLE idempotent_results (
  key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  operation TEXT NOT NULL,
  idempotency_key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  status INTEGER NOT NULL,
  body TEXT NOT NULL,
  headers TEXT NOT NULL,
  kept_at INTEGER NOT NULL,
  PRIMARY KEY (key_id, operation, idempotency_key)
) STRICT, WITHOUT ROWID;
CREATE INDEX idempotent_results_by_age ON idempotent_results (kept_at);

-- Imports --------------------------------------------------------------------------------------------------------

-- Imports that requests started. The process that carries one out renews a lease; without it, others know that it
-- has stopped.
CREATE TABLE imports (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  key_id INTEGER NOT NULL,
  dry_run INTEGER NOT NULL CHECK (dry_run IN (0, 1)),
  -- Tells the columns of its file from others, once they are read; and what was chosen for them, for the next file.
  header TEXT,
  choices TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  ended_at INTEGER,
  -- JSON.
  row_counts TEXT NOT NULL,
  animal_counts TEXT NOT NULL,
  rejected_rows TEXT NOT NULL,
  failure TEXT,
  owner TEXT NOT NULL,
  lease_ends_at INTEGER NOT NULL,
  -- Batches written.
  steps INTEGER NOT NULL
) STRICT;
CREATE INDEX imports_by_end ON imports (ended_at);
CREATE INDEX imports_header ON imports (header, id) WHERE header IS NOT NULL;
CREATE INDEX imports_with_rejected_rows ON imports (ended_at) WHERE dry_run = 0 AND rejected_rows <> '[]';

-- What each row of a file said of its animal when it was last imported, as a hash. It outlives the animal, so that
-- one which was removed here does not come back with the next import.
CREATE TABLE imported_rows (
  external_id TEXT NOT NULL PRIMARY KEY,
  fingerprint TEXT NOT NULL CHECK (length(fingerprint) = 64),
  -- What named the photos that imports took, so that none is fetched twice.
  photos TEXT,
  -- Since when a row has no animal, or when an import last met it without one. Such rows are forgotten
  -- (docs/decisions/0041-retention.md). NULL while the animal is there.
  removed_at INTEGER
) STRICT, WITHOUT ROWID;
CREATE INDEX imported_rows_removed ON imported_rows (removed_at) WHERE removed_at IS NOT NULL;
CREATE TRIGGER imported_row_removed AFTER INSERT ON removed_pets
WHEN new.external_id IS NOT NULL
BEGIN
  UPDATE imported_rows SET removed_at = new.removed_at WHERE external_id = new.external_id;
END;

-- Webhooks and channels ------------------------------------------------------------------------------------------

-- Endpoints that get events.
CREATE TABLE webhooks (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- The family of keys that it belongs to: its first key. NULL for a webhook of the shop.
  owner_id INTEGER,
  url TEXT NOT NULL,
  -- Separated by commas; NULL for all.
  types TEXT,
  description TEXT,
  -- NULL while it is enabled.
  disabled_reason TEXT,
  -- Perhaps encrypted.
  secret TEXT NOT NULL,
  old_secret TEXT,
  old_secret_until INTEGER,
  created_at INTEGER NOT NULL,
  last_success_at INTEGER,
  -- The time of the first failed attempt since the last success.
  failing_since INTEGER,
  -- Every event of the change log up to this one was delivered, is in `deliveries`, or is not wanted.
  position INTEGER NOT NULL,
  -- Grows when somebody changes the webhook or asks for a retry, so that its deliverer notices.
  revision INTEGER NOT NULL
) STRICT;

-- The log of deliveries. No reference to the webhook: after its removal they go in small steps.
CREATE TABLE deliveries (
  webhook_id INTEGER NOT NULL,
  event_id INTEGER NOT NULL,
  type TEXT NOT NULL,
  -- The record that the event is about, such as `pet 28`.
  record TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  response_status INTEGER,
  response_body TEXT,
  error TEXT,
  created_at INTEGER NOT NULL,
  next_attempt_at INTEGER,
  delivered_at INTEGER,
  PRIMARY KEY (webhook_id, event_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX deliveries_pending ON deliveries (webhook_id, event_id) WHERE status = 'pending';

-- The right to deliver: at most one row. One process of the deployment delivers for all webhooks.
CREATE TABLE webhook_lease (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  -- Grows whenever a process takes the lease.
  term INTEGER NOT NULL,
  -- Grows while that process lives; 0 once it has given the lease back.
  heartbeat INTEGER NOT NULL
) STRICT;

-- Places that take files of animals (src/channels), and what was sent to them.
CREATE TABLE channels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  account_id TEXT,
  -- Encrypted.
  secret TEXT,
  -- Of an SFTP server; NULL until the first connection.
  host_key TEXT,
  every_ms INTEGER NOT NULL,
  -- Whether files name the addresses of photos, or photos are uploaded beside them.
  photos_as TEXT NOT NULL DEFAULT 'addresses',
  -- NULL while it is enabled.
  disabled_reason TEXT,
  next_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- The animals in the file that was sent last.
  sent_rows INTEGER,
  sent_at INTEGER,
  -- Since the last success.
  failures INTEGER NOT NULL,
  problem TEXT,
  told_at INTEGER
) STRICT;

CREATE TABLE sendings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT NOT NULL,
  row_count INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  left_out_count INTEGER NOT NULL,
  -- JSON.
  left_out TEXT NOT NULL,
  -- Photos uploaded beside the file, and those left for the next one.
  photos_sent INTEGER NOT NULL DEFAULT 0,
  photos_left INTEGER NOT NULL DEFAULT 0,
  problem TEXT,
  anyway INTEGER NOT NULL
) STRICT;
CREATE INDEX sendings_by_channel ON sendings (channel_id, id);

-- The shop and its visitors --------------------------------------------------------------------------------------

-- What the public is told about the shop: at most one row.
CREATE TABLE shop (
  place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1),
  -- JSON: the fields that are set.
  data TEXT NOT NULL,
  -- Signs the time stamps of forms, in hexadecimal; NULL until there is one.
  form_secret TEXT,
  -- What names the entries of feeds for ever (RFC 4151), once there is a feed.
  feed_tag TEXT
) STRICT;

-- What people ask about animals. No reference: an enquiry outlives its animal and its adoption.
CREATE TABLE enquiries (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id INTEGER NOT NULL,
  order_id INTEGER,
  status TEXT NOT NULL CHECK (status IN ('new', 'answered', 'closed')),
  -- 1 if it may be spam.
  suspected INTEGER NOT NULL DEFAULT 0,
  -- Who takes care of it, the key of a person; and what staff note about it.
  owner_id INTEGER,
  note TEXT,
  name TEXT NOT NULL,
  email TEXT,
  telephone TEXT,
  message TEXT NOT NULL,
  -- JSON: the answers to the questions of the shop; NULL without any.
  answers TEXT,
  language TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  -- The mail that tells staff of it; NULL until there is one.
  mail_id INTEGER
) STRICT;
CREATE INDEX enquiries_by_status ON enquiries (status, suspected, id);
CREATE INDEX enquiries_by_time ON enquiries (received_at);
CREATE INDEX enquiries_by_mail ON enquiries (mail_id) WHERE mail_id > 0;
CREATE INDEX enquiries_untold ON enquiries (id) WHERE mail_id IS NULL AND status = 'new';

-- Searches of families: who wants to hear of new animals. A row is erased as soon as it ends.
CREATE TABLE alerts (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  -- Names it in links, which are signed with the secret of the forms.
  name TEXT NOT NULL UNIQUE,
  email TEXT NOT NULL,
  -- A keyed hash of the address.
  receiver TEXT NOT NULL,
  -- The query of the list.
  search TEXT NOT NULL,
  language TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  -- NULL until its mail was answered.
  confirmed_at INTEGER,
  ends_at INTEGER NOT NULL,
  -- Animals listed up to this time were told, or did not match.
  seen_at INTEGER NOT NULL,
  -- When a mail was last made; NULL before the first.
  told_at INTEGER
) STRICT;
CREATE INDEX alerts_by_receiver ON alerts (receiver);
CREATE INDEX alerts_by_end ON alerts (ends_at);
CREATE INDEX alerts_by_seen ON alerts (seen_at) WHERE confirmed_at IS NOT NULL;

-- Mails that are to be sent, or were within the last days. What each says is made of what it is about when it is sent.
CREATE TABLE mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- A part of its Message-ID, the same at each attempt.
  name TEXT NOT NULL,
  kind TEXT NOT NULL CHECK (kind IN ('enquiries', 'copy', 'confirm_alert', 'alert')),
  -- The enquiry or the alert that it is about; NULL for the enquiries of a mail to staff.
  subject_id INTEGER,
  -- A keyed hash of the address; NULL for staff.
  receiver TEXT,
  status TEXT NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER,
  created_at INTEGER NOT NULL
) STRICT;
CREATE INDEX mails_pending ON mails (id) WHERE status = 'pending';
CREATE INDEX mails_by_receiver ON mails (receiver, created_at) WHERE receiver IS NOT NULL;
CREATE INDEX mails_by_time ON mails (created_at);

-- Who has sent forms within the last hour, as keyed hashes: the address, the address with who it says it is, and
-- what was written.
CREATE TABLE sent_forms (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  sender TEXT NOT NULL,
  pair TEXT NOT NULL,
  digest TEXT NOT NULL,
  suspected INTEGER NOT NULL,
  -- 1 if it has caused a mail.
  mailed INTEGER NOT NULL,
  sent_at INTEGER NOT NULL
) STRICT;
CREATE INDEX sent_forms_by_sender ON sent_forms (sender, sent_at);
CREATE INDEX sent_forms_by_time ON sent_forms (sent_at);

-- What the service does by itself --------------------------------------------------------------------------------

-- Who does it, and how it went (src/jobs/scheduler.ts).
CREATE TABLE tasks (
  name TEXT NOT NULL PRIMARY KEY,
  turn INTEGER NOT NULL,
  -- 0 while nobody does it.
  heartbeat INTEGER NOT NULL,
  holder TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  succeeded_at INTEGER,
  -- Since the last success.
  failures INTEGER NOT NULL,
  problem TEXT,
  due_at INTEGER
) STRICT;

-- The clock that retention trusts (docs/decisions/0041-retention.md): at most one row.
CREATE TABLE retention (
  only_one INTEGER NOT NULL PRIMARY KEY CHECK (only_one = 1),
  -- When it last ran; before that, the time of the newest record when it was first asked.
  trusted_at INTEGER NOT NULL,
  -- What the clock said when it began to wait; NULL while it runs.
  waiting_at INTEGER,
  -- 1 before the first run, and once `petstore erase --now` was asked for: that run has no bound.
  unbounded INTEGER NOT NULL,
  -- 1 if that was asked for.
  asked INTEGER NOT NULL
) STRICT;

-- What retention has erased of each table on the last day on which it erased anything of it.
CREATE TABLE erasures (
  table_name TEXT NOT NULL PRIMARY KEY,
  -- Days since the Unix epoch.
  day INTEGER NOT NULL,
  -- The rows before the first erasure of that day.
  rows_before INTEGER NOT NULL,
  erased INTEGER NOT NULL
) STRICT;

-- Derived: made from the tables above, and neither copied nor backed up by rows ------------------------------------

-- The words of the two lists. `ascii` separates words at spaces alone: every other character of them is a letter or
-- digit to it. Without `prefix`, a search for words that start with a letter merges the animals of thousands of words.
CREATE VIRTUAL TABLE derived_listing_words USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '1 2'
);
CREATE TRIGGER listing_words_added AFTER INSERT ON listings
BEGIN
  INSERT INTO derived_listing_words (rowid, words) VALUES (new.pet_id, new.words);
END;
CREATE TRIGGER listing_words_changed AFTER UPDATE OF words ON listings
WHEN new.words <> old.words
BEGIN
  DELETE FROM derived_listing_words WHERE rowid = old.pet_id;
  INSERT INTO derived_listing_words (rowid, words) VALUES (new.pet_id, new.words);
END;
CREATE TRIGGER listing_words_removed AFTER DELETE ON listings
BEGIN
  DELETE FROM derived_listing_words WHERE rowid = old.pet_id;
END;

CREATE VIRTUAL TABLE derived_animal_words USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '1 2'
);
-- New animals enter the index of words 256 at a time, which costs a tenth. Searches look into those after indexed_to.
CREATE TABLE derived_animal_words_state (
  indexed_to INTEGER NOT NULL
) STRICT;
INSERT INTO derived_animal_words_state (indexed_to) VALUES (0);
CREATE TRIGGER animal_words_added AFTER INSERT ON animals
WHEN new.pet_id NOT BETWEEN (SELECT indexed_to + 1 FROM derived_animal_words_state)
  AND (SELECT indexed_to + 255 FROM derived_animal_words_state)
BEGIN
  INSERT INTO derived_animal_words (rowid, words) SELECT pet_id, words FROM animals
  WHERE pet_id > (SELECT indexed_to FROM derived_animal_words_state) OR pet_id = new.pet_id;
  UPDATE derived_animal_words_state SET indexed_to = max(indexed_to, (SELECT max(pet_id) FROM animals));
END;
CREATE TRIGGER animal_words_changed AFTER UPDATE OF words ON animals
WHEN new.words <> old.words AND old.pet_id <= (SELECT indexed_to FROM derived_animal_words_state)
BEGIN
  DELETE FROM derived_animal_words WHERE rowid = old.pet_id;
  INSERT INTO derived_animal_words (rowid, words) VALUES (new.pet_id, new.words);
END;
CREATE TRIGGER animal_words_removed AFTER DELETE ON animals
WHEN old.pet_id <= (SELECT indexed_to FROM derived_animal_words_state)
BEGIN
  DELETE FROM derived_animal_words WHERE rowid = old.pet_id;
END;
