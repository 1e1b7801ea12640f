-- The schema of 1.0.0. SQLite has the same tables (../../sqlite/migrations/0001-initial.sql). Times ending in
-- _at are in milliseconds since the Unix epoch; dates are text, YYYY-MM-DD. Text is
-- compared byte by byte (COLLATE "C"), so that no other collation of the system breaks an index.

-- The database itself --------------------------------------------------------------------------------------------

-- One row, written by the first start: what kind of deployment the database belongs to.
CREATE TABLE deployment (
  only_one integer PRIMARY KEY DEFAULT 1 CHECK (only_one = 1),
  environment text NOT NULL CHECK (environment IN ('production', 'staging')),
  -- Tells this database from any other; a copy of it has the same.
  id text NOT NULL DEFAULT replace(CAST(gen_random_uuid() AS text), '-', ''),
  -- While the schema has the version shared_version, releases that know version shared_from may use it too.
  shared_version integer NOT NULL DEFAULT 0,
  shared_from integer NOT NULL DEFAULT 0
);

-- Animals --------------------------------------------------------------------------------------------------------

CREATE TABLE categories (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  name text COLLATE "C" NOT NULL CHECK (length(name) >= 1),
  name_folded text COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE pets (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  name text COLLATE "C" NOT NULL CHECK (length(name) >= 1),
  name_folded text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  status text COLLATE "C" NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  external_id text COLLATE "C" UNIQUE,
  -- Whether it has ever had another status than sold.
  was_offered bigint NOT NULL CHECK (was_offered IN (0, 1)),
  added_at bigint NOT NULL
);
-- Each ends in the id, so a filtered page is read in order from where it begins.
CREATE INDEX pets_by_status ON pets (status, id);
CREATE INDEX pets_by_category ON pets (category_id, id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status, id);

-- What is known of an animal besides its own row: JSON with the fields that are known.
CREATE TABLE profiles (
  pet_id bigint PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
  public text COLLATE "C" NOT NULL,
  -- What only staff may know.
  private text COLLATE "C" NOT NULL
);

-- Photos. No reference to their bytes: they may be elsewhere.
CREATE TABLE photos (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pet_id bigint NOT NULL REFERENCES pets (id) ON DELETE CASCADE,
  -- Of the JPEG that is kept. It names the files.
  sha256 text COLLATE "C" NOT NULL,
  alt text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  -- The focus, in millionths of the width and the height.
  focus_x bigint NOT NULL,
  focus_y bigint NOT NULL,
  width bigint NOT NULL,
  height bigint NOT NULL,
  UNIQUE (pet_id, sha256)
);
CREATE INDEX photos_by_file ON photos (sha256);

-- The files of photos, such as `…-640.webp`. One that no photo names any more is removed in small steps.
CREATE TABLE photo_files (
  name text COLLATE "C" PRIMARY KEY,
  -- When it was stored last. Negative since its removal from a bucket began: nobody may rely on it then.
  stored_at bigint NOT NULL,
  -- NULL if the bytes are in a bucket.
  content bytea
);
-- Pictures are compressed already.
ALTER TABLE photo_files ALTER COLUMN content SET STORAGE EXTERNAL;

-- Removed animals, with all that brings them back. The private fields of a removed animal are nowhere else.
CREATE TABLE removed_pets (
  pet_id bigint PRIMARY KEY,
  removed_at bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  name_folded text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  was_offered bigint NOT NULL,
  added_at bigint NOT NULL,
  -- As in profiles; NULL without one.
  public text COLLATE "C",
  private text COLLATE "C"
);
CREATE INDEX removed_pets_by_time ON removed_pets (removed_at);

-- Their photos, as in photos.
CREATE TABLE removed_photos (
  photo_id bigint PRIMARY KEY,
  pet_id bigint NOT NULL REFERENCES removed_pets (pet_id) ON DELETE CASCADE,
  sha256 text COLLATE "C" NOT NULL,
  alt text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  focus_x bigint NOT NULL,
  focus_y bigint NOT NULL,
  width bigint NOT NULL,
  height bigint NOT NULL
);
CREATE INDEX removed_photos_by_pet ON removed_photos (pet_id);
CREATE INDEX removed_photos_by_file ON removed_photos (sha256);

-- When and how animals came and left. No reference: a stay outlives its animal, for the reports.
CREATE TABLE stays (
  id bigint GENERATED ALWAYS AS IDENTITY (MAXVALUE 9007199254740991) PRIMARY KEY,
  pet_id bigint NOT NULL,
  intake_date text COLLATE "C" NOT NULL,
  intake_type text COLLATE "C",
  outcome_date text COLLATE "C" CHECK (outcome_date >= intake_date),
  outcome_type text COLLATE "C" CHECK ((outcome_type IS NULL) = (outcome_date IS NULL)),
  note text COLLATE "C",
  -- What the report counts by: from the profile, which a stay outlives. The age is that at the intake.
  species text COLLATE "C" NOT NULL DEFAULT 'unknown',
  age text COLLATE "C" NOT NULL DEFAULT 'unknown'
);
CREATE INDEX stays_by_pet ON stays (pet_id);
CREATE UNIQUE INDEX stays_open ON stays (pet_id) WHERE outcome_date IS NULL;
CREATE INDEX stays_by_outcome ON stays (outcome_date, intake_date, outcome_type, intake_type, species, age);

-- The two lists of animals: a row follows from the animal and its profile, and is written with them ------------------

-- What staff work with. No reference: removed animals are in it too.
CREATE TABLE animals (
  pet_id bigint PRIMARY KEY,
  state text COLLATE "C" NOT NULL CHECK (state IN ('here', 'left', 'removed')),
  status text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  species text COLLATE "C",
  care text COLLATE "C",
  care_until text COLLATE "C",
  -- 1 or 0.
  published bigint NOT NULL,
  has_photo bigint NOT NULL DEFAULT 0,
  -- The first day of the newest stay.
  since text COLLATE "C" NOT NULL,
  -- Folded. U+10FFFD for animals without a place.
  name text COLLATE "C" NOT NULL,
  location text COLLATE "C" NOT NULL,
  -- Its folded words, each once, separated by spaces.
  words text COLLATE "C" NOT NULL
);
CREATE INDEX animals_by_name ON animals (name, pet_id);
CREATE INDEX animals_by_since ON animals (since, pet_id);
CREATE INDEX animals_by_location ON animals (location, pet_id);
CREATE INDEX animals_by_word ON animals USING gin (array_to_tsvector(string_to_array(words, ' ')));
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
CREATE FUNCTION forget_animal() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  DELETE FROM animals WHERE pet_id = old.pet_id AND NOT EXISTS (SELECT FROM pets WHERE id = old.pet_id);
  RETURN NULL;
END $$;
CREATE TRIGGER animal_forgotten AFTER DELETE ON removed_pets
FOR EACH ROW EXECUTE FUNCTION forget_animal();

-- What the public sees, with what it is found and sorted by.
CREATE TABLE listings (
  pet_id bigint PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
  status text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  species text COLLATE "C" NOT NULL,
  sex text COLLATE "C",
  size text COLLATE "C",
  birth_date text COLLATE "C",
  -- Only without a birth date: with one, the group depends on the day.
  age_group text COLLATE "C",
  -- 1 or 0.
  dogs bigint NOT NULL,
  cats bigint NOT NULL,
  -- The age in years of the youngest child that it fits; NULL if it is not known to fit any.
  child_age bigint,
  -- The date since which the animal waits.
  since text COLLATE "C" NOT NULL,
  -- The folded name.
  name text COLLATE "C" NOT NULL,
  -- Where the animal is in the ring that the fair order starts at another place of each day.
  place bigint NOT NULL,
  -- Its folded words, each once, separated by spaces; and those of its breeds.
  words text COLLATE "C" NOT NULL,
  breed text COLLATE "C",
  breed_name text COLLATE "C",
  -- Since when the public sees it.
  listed_at bigint NOT NULL DEFAULT 0,
  -- When what the public sees last changed.
  shown_at bigint NOT NULL DEFAULT 0,
  -- 1 or 0. To look for those without a photo among 100,000 would take 50 ms.
  has_photo bigint NOT NULL DEFAULT 0
);
-- The fair order is one of those that are free, and then one of those that are reserved.
CREATE INDEX listings_by_place ON listings (status, place, pet_id);
CREATE INDEX listings_by_name ON listings (name, pet_id);
CREATE INDEX listings_by_since ON listings (since, pet_id);
CREATE INDEX listings_by_listed_at ON listings (listed_at, pet_id);
CREATE INDEX listings_by_word ON listings USING gin (array_to_tsvector(string_to_array(words, ' ')));
-- What is on the work list.
CREATE INDEX listings_without_photo ON listings (pet_id) WHERE has_photo = 0;

-- Whether they have a photo follows from the photos.
CREATE FUNCTION find_animal_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM photos WHERE pet_id = new.pet_id) THEN new.has_photo := 1; END IF;
  RETURN new;
END $$;
CREATE TRIGGER animal_photo_found BEFORE INSERT ON animals
FOR EACH ROW EXECUTE FUNCTION find_animal_photo();
CREATE FUNCTION note_animal_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE animals SET has_photo = 1 WHERE pet_id = new.pet_id AND has_photo = 0;
  ELSIF NOT EXISTS (SELECT FROM photos WHERE pet_id = old.pet_id) THEN
    UPDATE animals SET has_photo = 0 WHERE pet_id = old.pet_id AND state <> 'removed';
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER animal_photo_noted AFTER INSERT OR DELETE ON photos
FOR EACH ROW EXECUTE FUNCTION note_animal_photo();
CREATE FUNCTION find_listing_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF EXISTS (SELECT FROM photos WHERE pet_id = new.pet_id) THEN new.has_photo := 1; END IF;
  RETURN new;
END $$;
CREATE TRIGGER listing_photo_found BEFORE INSERT ON listings
FOR EACH ROW EXECUTE FUNCTION find_listing_photo();
CREATE FUNCTION note_listing_photo() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF TG_OP = 'INSERT' THEN
    UPDATE listings SET has_photo = 1 WHERE pet_id = new.pet_id AND has_photo = 0;
  ELSIF NOT EXISTS (SELECT FROM photos WHERE pet_id = old.pet_id) THEN
    UPDATE listings SET has_photo = 0 WHERE pet_id = old.pet_id;
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER listing_photo_noted AFTER INSERT OR DELETE ON photos
FOR EACH ROW EXECUTE FUNCTION note_listing_photo();

-- Adoptions ------------------------------------------------------------------------------------------------------

CREATE TABLE orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  -- No reference: a closed order outlives its animal, and ids are never given again.
  pet_id bigint NOT NULL,
  adopter text COLLATE "C",
  -- How to reach who adopts, and what else is to be remembered of the adoption.
  contact text COLLATE "C",
  note text COLLATE "C",
  -- Of an adoption that began as an enquiry: what it says of the adopter. It is erased with the enquiry.
  answers text COLLATE "C",
  -- 1 once the enquiry is erased: at its end the order says nothing more of the adopter.
  erased_at_end bigint NOT NULL DEFAULT 0,
  status text COLLATE "C" NOT NULL CHECK (status IN ('placed', 'approved', 'completed', 'cancelled')),
  placed_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  -- When it took each of its steps.
  approved_at bigint,
  completed_at bigint,
  cancelled_at bigint,
  returned_at bigint,
  return_reason text COLLATE "C"
);
CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_pet ON orders (pet_id, id);
CREATE INDEX orders_by_completion ON orders (completed_at) WHERE completed_at IS NOT NULL;
CREATE INDEX orders_open_by_time ON orders (placed_at) WHERE status IN ('placed', 'approved');
-- Two people, one animal: the database itself refuses a second open order.
CREATE UNIQUE INDEX orders_open_by_pet ON orders (pet_id) WHERE status IN ('placed', 'approved');
-- Finished orders that still say who adopted.
CREATE INDEX orders_to_erase ON orders (updated_at)
  WHERE status IN ('completed', 'cancelled')
    AND coalesce(adopter, contact, note, return_reason, answers) IS NOT NULL;

-- The change log (docs/decisions/0021-change-log.md) --------------------------------------------------------------

-- The record as it was right after each change. The ids have no gaps.
CREATE TABLE changes (
  id bigint PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  type text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  key_id bigint,
  record_id bigint,
  name text COLLATE "C",
  category_id bigint,
  status text COLLATE "C",
  pet_id bigint,
  placed_at bigint,
  updated_at bigint,
  -- JSON: the public profile of an animal, or a photo.
  data text COLLATE "C",
  -- JSON: the fields that a change changed, {"name": ["Rex", "Max"]}, or `true` in place of the values of a personal
  -- field. NULL where the other columns say all.
  changed text COLLATE "C",
  -- What a change is about that is no event, such as a key; NULL for events.
  subject_id bigint,
  -- The import that made the change.
  import_id bigint
);
-- What happened to an animal: its own rows, and those of its parts and adoptions.
CREATE INDEX changes_by_record ON changes (record_id, id);
CREATE INDEX changes_by_pet ON changes (pet_id, id) WHERE pet_id IS NOT NULL;
-- The audit shows an import as one line. The other lines are found without reading what imports wrote.
CREATE INDEX changes_by_import ON changes (import_id, id) WHERE import_id IS NOT NULL;
CREATE INDEX changes_by_hand ON changes (id) WHERE import_id IS NULL;
CREATE INDEX changes_by_key ON changes (key_id, id) WHERE import_id IS NULL;
CREATE INDEX changes_by_type ON changes (type, id) WHERE import_id IS NULL AND type <> 'pet.created';

-- Changes that have no id yet, written in the transaction of the change while it holds the lock of the record: so the
-- entries of one record are in the order of its changes.
CREATE TABLE unnumbered_changes (
  entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  key_id bigint,
  record_id bigint,
  name text COLLATE "C",
  category_id bigint,
  status text COLLATE "C",
  pet_id bigint,
  placed_at bigint,
  updated_at bigint,
  data text COLLATE "C",
  changed text COLLATE "C",
  subject_id bigint,
  import_id bigint
);

-- One row. Whoever gives ids locks it, and rarely changes it, so that it is found at once even while a
-- transaction elsewhere keeps every old version of it.
CREATE TABLE change_numbering (
  only_one integer PRIMARY KEY DEFAULT 1 CHECK (only_one = 1),
  -- Ids are greater than this, also in an empty log.
  last_id bigint NOT NULL
);
INSERT INTO change_numbering (last_id) VALUES (0);

-- Gives ids to at most `most` changes and returns their number, or NULL if another session is doing so.
--
-- A function, because each statement in it has its own snapshot. The move has to see all that earlier
-- numberers did, so its snapshot must be taken after the lock; and a client that is halted between
-- two statements would keep the lock.
--
-- Ids are given after the commit, by one session at a time. A row that becomes visible later gets a
-- greater id, so a reader who continues after the greatest id misses nothing, and no transaction has
-- to be waited for. The changes of one record get their ids in order: whoever sees the later one sees
-- the earlier one too, which has the smaller entry, so that it is moved first or together with it.
CREATE FUNCTION number_changes(most bigint) RETURNS bigint LANGUAGE plpgsql
-- A plan from when the table was small would read every removed row. Without it, a plan counts as
-- expensive enough to be compiled, which takes a second.
SET enable_seqscan = off SET jit = off AS $$
DECLARE
  last bigint;
  moved bigint;
BEGIN
  -- Writes nothing while there is nothing to do.
  IF NOT EXISTS (SELECT FROM unnumbered_changes) THEN RETURN 0; END IF;
  SELECT last_id INTO last FROM change_numbering FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT greatest(last, max(id)) INTO last FROM changes;
  WITH taken AS (
    DELETE FROM unnumbered_changes
    WHERE entry <= (
      SELECT max(entry) FROM (SELECT entry FROM unnumbered_changes ORDER BY entry LIMIT most) AS first
    )
    RETURNING *
  )
  INSERT INTO changes (id, type, at, key_id, record_id, name, category_id, status, pet_id, placed_at,
    updated_at, data, changed, subject_id, import_id)
  SELECT last + row_number() OVER (ORDER BY entry), type, at, key_id, record_id, name, category_id,
    status, pet_id, placed_at, updated_at, data, changed, subject_id, import_id
  FROM taken;
  GET DIAGNOSTICS moved = ROW_COUNT;
  RETURN moved;
END
$$;

-- One row: the first change that is still an event. Those before it are there for the audit alone.
CREATE TABLE event_start (
  only_one bigint PRIMARY KEY CHECK (only_one = 1),
  first_id bigint NOT NULL
);

-- Keys and people -------------------------------------------------------------------------------------------------

-- A person is a key of that kind. Its plan is stored as business, which has the same limits.
CREATE TABLE api_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  kind text COLLATE "C" NOT NULL DEFAULT 'program' CHECK (kind IN ('program', 'person')),
  hash text COLLATE "C" NOT NULL UNIQUE CHECK (length(hash) = 64),
  name text COLLATE "C" NOT NULL,
  plan text COLLATE "C" NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  per_minute bigint CHECK (per_minute >= 1),
  per_day bigint CHECK (per_day >= 1),
  scopes text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  -- How long a key was meant to live, which a rotation of it does not change; NULL where it has no end.
  lifetime bigint,
  last_used_at bigint,
  revoked_at bigint,
  -- When a ban of the key was lifted last; servers follow it when they read the key again.
  unbanned_at bigint,
  -- A successor knows the key that it replaces, and the first key of its family: counts and results of idempotent
  -- requests are kept under that one. No references: an ended key can be removed before its successors.
  predecessor_id bigint,
  family_id bigint,
  CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
  CHECK ((plan = 'enterprise') = (per_day IS NOT NULL))
);
CREATE INDEX api_keys_by_family ON api_keys (family_id) WHERE family_id IS NOT NULL;

CREATE TABLE people (
  key_id bigint PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  email text COLLATE "C" NOT NULL,
  -- In lower case. NULL for somebody who was removed: their address is free.
  email_folded text COLLATE "C" UNIQUE,
  -- What the person has chosen; NULL to follow the browser.
  language text COLLATE "C",
  -- NULL until the person has chosen a password.
  password_hash text COLLATE "C",
  -- The last invitation, until it is used.
  invitation_hash text COLLATE "C" UNIQUE,
  invited_until bigint
);

-- Who is signed in to the console. A cookie holds the token; only its hash is stored.
CREATE TABLE sessions (
  hash text COLLATE "C" PRIMARY KEY,
  key_id bigint NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  created_at bigint NOT NULL,
  last_used_at bigint NOT NULL
);
CREATE INDEX sessions_by_key ON sessions (key_id, last_used_at);

-- What each key has used of its limits, written back once a second.
CREATE TABLE allowances (
  key_id bigint PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  minute_start bigint NOT NULL,
  minute_used bigint NOT NULL,
  minute_other_start bigint NOT NULL,
  minute_other_used bigint NOT NULL,
  day_start bigint NOT NULL,
  day_used bigint NOT NULL,
  day_other_start bigint NOT NULL,
  day_other_used bigint NOT NULL,
  refusals_start bigint NOT NULL,
  refusals bigint NOT NULL,
  bans bigint NOT NULL,
  banned_until bigint NOT NULL,
  lifted_at bigint NOT NULL
);

-- Requests of each key by hour and by day of UTC.
CREATE TABLE usage_counts (
  key_id bigint NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  period text COLLATE "C" NOT NULL CHECK (period IN ('hour', 'day')),
  -- In milliseconds, as the times.
  start bigint NOT NULL,
  requests bigint NOT NULL,
  refused bigint NOT NULL,
  errors bigint NOT NULL,
  PRIMARY KEY (key_id, period, start)
);
CREATE INDEX usage_counts_by_start ON usage_counts (period, start);

CREATE TABLE idempotent_results (
  key_id bigint NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  operation text COLLATE "C" NOT NULL,
  idempotency_key text COLLATE "C" NOT NULL,
  fingerprint text COLLATE "C" NOT NULL,
  status bigint NOT NULL,
  body text COLLATE "C" NOT NULL,
  headers text COLLATE "C" NOT NULL,
  kept_at bigint NOT NULL,
  PRIMARY KEY (key_id, operation, idempotency_key)
);
CREATE INDEX idempotent_results_by_age ON idempotent_results (kept_at);

-- Imports --------------------------------------------------------------------------------------------------------

-- Imports that requests started. The process that carries one out renews a lease; without it, others know that it
-- has stopped.
CREATE TABLE imports (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  key_id bigint NOT NULL,
  dry_run bigint NOT NULL CHECK (dry_run IN (0, 1)),
  -- Tells the columns of its file from others, once they are read; and what was chosen for them, for the next file.
  header text COLLATE "C",
  choices text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  ended_at bigint,
  -- JSON.
  row_counts text COLLATE "C" NOT NULL,
  animal_counts text COLLATE "C" NOT NULL,
  rejected_rows text COLLATE "C" NOT NULL,
  failure text COLLATE "C",
  owner text COLLATE "C" NOT NULL,
  lease_ends_at bigint NOT NULL,
  -- Batches written.
  steps bigint NOT NULL
);
CREATE INDEX imports_by_end ON imports (ended_at);
CREATE INDEX imports_header ON imports (header, id) WHERE header IS NOT NULL;
CREATE INDEX imports_with_rejected_rows ON imports (ended_at) WHERE dry_run = 0 AND rejected_rows <> '[]';

-- What each row of a file said of its animal when it was last imported, as a hash. It outlives the animal, so that
-- one which was removed here does not come back with the next import.
CREATE TABLE imported_rows (
  external_id text COLLATE "C" PRIMARY KEY,
  fingerprint text COLLATE "C" NOT NULL CHECK (length(fingerprint) = 64),
  -- What named the photos that imports took, so that none is fetched twice.
  photos text COLLATE "C",
  -- Since when a row has no animal, or when an import last met it without one. Such rows are forgotten
  -- (docs/decisions/0041-retention.md). NULL while the animal is there.
  removed_at bigint
);
CREATE INDEX imported_rows_removed ON imported_rows (removed_at) WHERE removed_at IS NOT NULL;
CREATE FUNCTION note_removed_row() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  UPDATE imported_rows SET removed_at = new.removed_at WHERE external_id = new.external_id;
  RETURN NULL;
END $$;
CREATE TRIGGER imported_row_removed AFTER INSERT ON removed_pets
FOR EACH ROW WHEN (new.external_id IS NOT NULL) EXECUTE FUNCTION note_removed_row();

-- Webhooks and channels ------------------------------------------------------------------------------------------

-- Endpoints that get events.
CREATE TABLE webhooks (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- The family of keys that it belongs to: its first key. NULL for a webhook of the shop.
  owner_id bigint,
  url text COLLATE "C" NOT NULL,
  -- Separated by commas; NULL for all.
  types text COLLATE "C",
  description text COLLATE "C",
  -- NULL while it is enabled.
  disabled_reason text COLLATE "C",
  -- Perhaps encrypted.
  secret text COLLATE "C" NOT NULL,
  old_secret text COLLATE "C",
  old_secret_until bigint,
  created_at bigint NOT NULL,
  last_success_at bigint,
  -- The time of the first failed attempt since the last success.
  failing_since bigint,
  -- Every event of the change log up to this one was delivered, is in `deliveries`, or is not wanted.
  position bigint NOT NULL,
  -- Grows when somebody changes the webhook or asks for a retry, so that its deliverer notices.
  revision bigint NOT NULL
);

-- The log of deliveries. No reference to the webhook: after its removal they go in small steps.
CREATE TABLE deliveries (
  webhook_id bigint NOT NULL,
  event_id bigint NOT NULL,
  type text COLLATE "C" NOT NULL,
  -- The record that the event is about, such as `pet 28`.
  record text COLLATE "C" NOT NULL,
  status text COLLATE "C" NOT NULL,
  attempts bigint NOT NULL,
  response_status bigint,
  response_body text COLLATE "C",
  error text COLLATE "C",
  created_at bigint NOT NULL,
  next_attempt_at bigint,
  delivered_at bigint,
  PRIMARY KEY (webhook_id, event_id)
);
CREATE INDEX deliveries_pending ON deliveries (webhook_id, event_id) WHERE status = 'pending';

-- The right to deliver: at most one row. One process of the deployment delivers for all webhooks.
CREATE TABLE webhook_lease (
  id bigint PRIMARY KEY CHECK (id = 1),
  -- Grows whenever a process takes the lease.
  term bigint NOT NULL,
  -- Grows while that process lives; 0 once it has given the lease back.
  heartbeat bigint NOT NULL
);

-- Places that take files of animals (src/channels), and what was sent to them.
CREATE TABLE channels (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  account_id text COLLATE "C",
  -- Encrypted.
  secret text COLLATE "C",
  -- Of an SFTP server; NULL until the first connection.
  host_key text COLLATE "C",
  every_ms bigint NOT NULL,
  -- Whether files name the addresses of photos, or photos are uploaded beside them.
  photos_as text COLLATE "C" NOT NULL DEFAULT 'addresses',
  -- NULL while it is enabled.
  disabled_reason text COLLATE "C",
  next_at bigint NOT NULL,
  created_at bigint NOT NULL,
  -- The animals in the file that was sent last.
  sent_rows bigint,
  sent_at bigint,
  -- Since the last success.
  failures bigint NOT NULL,
  problem text COLLATE "C",
  told_at bigint
);

CREATE TABLE sendings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel_id bigint NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  started_at bigint NOT NULL,
  ended_at bigint,
  outcome text COLLATE "C" NOT NULL,
  row_count bigint NOT NULL,
  byte_count bigint NOT NULL,
  left_out_count bigint NOT NULL,
  -- JSON.
  left_out text COLLATE "C" NOT NULL,
  -- Photos uploaded beside the file, and those left for the next one.
  photos_sent bigint NOT NULL DEFAULT 0,
  photos_left bigint NOT NULL DEFAULT 0,
  problem text COLLATE "C",
  anyway bigint NOT NULL
);
CREATE INDEX sendings_by_channel ON sendings (channel_id, id);

-- The shop and its visitors --------------------------------------------------------------------------------------

-- What the public is told about the shop: at most one row.
CREATE TABLE shop (
  place bigint PRIMARY KEY CHECK (place = 1),
  -- JSON: the fields that are set.
  data text COLLATE "C" NOT NULL,
  -- Signs the time stamps of forms, in hexadecimal; NULL until there is one.
  form_secret text COLLATE "C",
  -- What names the entries of feeds for ever (RFC 4151), once there is a feed.
  feed_tag text COLLATE "C"
);

-- What people ask about animals. No reference: an enquiry outlives its animal and its adoption.
CREATE TABLE enquiries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id bigint NOT NULL,
  order_id bigint,
  status text COLLATE "C" NOT NULL CHECK (status IN ('new', 'answered', 'closed')),
  -- 1 if it may be spam.
  suspected bigint NOT NULL DEFAULT 0,
  -- Who takes care of it, the key of a person; and what staff note about it.
  owner_id bigint,
  note text COLLATE "C",
  name text COLLATE "C" NOT NULL,
  email text COLLATE "C",
  telephone text COLLATE "C",
  message text COLLATE "C" NOT NULL,
  -- JSON: the answers to the questions of the shop; NULL without any.
  answers text COLLATE "C",
  language text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  updated_at bigint NOT NULL,
  -- The mail that tells staff of it; NULL until there is one.
  mail_id bigint
);
CREATE INDEX enquiries_by_status ON enquiries (status, suspected, id);
CREATE INDEX enquiries_by_time ON enquiries (received_at);
CREATE INDEX enquiries_by_mail ON enquiries (mail_id) WHERE mail_id > 0;
CREATE INDEX enquiries_untold ON enquiries (id) WHERE mail_id IS NULL AND status = 'new';

-- Searches of families: who wants to hear of new animals. A row is erased as soon as it ends.
CREATE TABLE alerts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  -- Names it in links, which are signed with the secret of the forms.
  name text COLLATE "C" NOT NULL UNIQUE,
  email text COLLATE "C" NOT NULL,
  -- A keyed hash of the address.
  receiver text COLLATE "C" NOT NULL,
  -- The query of the list.
  search text COLLATE "C" NOT NULL,
  language text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  -- NULL until its mail was answered.
  confirmed_at bigint,
  ends_at bigint NOT NULL,
  -- Animals listed up to this time were told, or did not match.
  seen_at bigint NOT NULL,
  -- When a mail was last made; NULL before the first.
  told_at bigint
);
CREATE INDEX alerts_by_receiver ON alerts (receiver);
CREATE INDEX alerts_by_end ON alerts (ends_at);
CREATE INDEX alerts_by_seen ON alerts (seen_at) WHERE confirmed_at IS NOT NULL;

-- Mails that are to be sent, or were within the last days. What each says is made of what it is about when it is sent.
CREATE TABLE mails (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- A part of its Message-ID, the same at each attempt.
  name text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('enquiries', 'copy', 'confirm_alert', 'alert')),
  -- The enquiry or the alert that it is about; NULL for the enquiries of a mail to staff.
  subject_id bigint,
  -- A keyed hash of the address; NULL for staff.
  receiver text COLLATE "C",
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts bigint NOT NULL,
  next_attempt_at bigint,
  created_at bigint NOT NULL
);
CREATE INDEX mails_pending ON mails (id) WHERE status = 'pending';
CREATE INDEX mails_by_receiver ON mails (receiver, created_at) WHERE receiver IS NOT NULL;
CREATE INDEX mails_by_time ON mails (created_at);

-- Who has sent forms within the last hour, as keyed hashes: the address, the address with who it says it is, and
-- what was written.
CREATE TABLE sent_forms (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sender text COLLATE "C" NOT NULL,
  pair text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  suspected bigint NOT NULL,
  -- 1 if it has caused a mail.
  mailed bigint NOT NULL,
  sent_at bigint NOT NULL
);
CREATE INDEX sent_forms_by_sender ON sent_forms (sender, sent_at);
CREATE INDEX sent_forms_by_time ON sent_forms (sent_at);

-- What the service does by itself --------------------------------------------------------------------------------

-- Who does it, and how it went (src/jobs/scheduler.ts).
CREATE TABLE tasks (
  name text COLLATE "C" PRIMARY KEY,
  turn bigint NOT NULL,
  -- 0 while nobody does it.
  heartbeat bigint NOT NULL,
  holder text COLLATE "C" NOT NULL,
  started_at bigint NOT NULL,
  ended_at bigint,
  succeeded_at bigint,
  -- Since the last success.
  failures bigint NOT NULL,
  problem text COLLATE "C",
  due_at bigint
);

-- The clock that retention trusts (docs/decisions/0041-retention.md): at most one row.
CREATE TABLE retention (
  only_one bigint PRIMARY KEY CHECK (only_one = 1),
  -- When it last ran; before that, the time of the newest record when it was first asked.
  trusted_at bigint NOT NULL,
  -- What the clock said when it began to wait; NULL while it runs.
  waiting_at bigint,
  -- 1 before the first run, and once `petstore erase --now` was asked for: that run has no bound.
  unbounded bigint NOT NULL,
  -- 1 if that was asked for.
  asked bigint NOT NULL
);

-- What retention has erased of each table on the last day on which it erased anything of it.
CREATE TABLE erasures (
  table_name text COLLATE "C" PRIMARY KEY,
  -- Days since the Unix epoch.
  day bigint NOT NULL,
  -- The rows before the first erasure of that day.
  rows_before bigint NOT NULL,
  erased bigint NOT NULL
);
