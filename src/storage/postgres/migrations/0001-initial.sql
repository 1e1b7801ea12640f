-- What kind of deployment the database belongs to: one row, written by the first start.
CREATE TABLE deployment (
  only_one integer PRIMARY KEY DEFAULT 1 CHECK (only_one = 1),
  environment text NOT NULL CHECK (environment IN ('production', 'staging'))
);

-- Names are compared byte by byte, so that no other collation of the system breaks an index.
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
  external_id text COLLATE "C" UNIQUE
);

-- Each ends in the id, so a filtered page is read in order from where it begins.
CREATE INDEX pets_by_status ON pets (status, id);
CREATE INDEX pets_by_category ON pets (category_id, id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status, id);

-- All times are in milliseconds since the Unix epoch.
CREATE TABLE api_keys (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  hash text COLLATE "C" NOT NULL UNIQUE CHECK (length(hash) = 64),
  name text COLLATE "C" NOT NULL,
  plan text COLLATE "C" NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  per_minute bigint CHECK (per_minute >= 1),
  per_day bigint CHECK (per_day >= 1),
  scopes text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  expires_at bigint,
  last_used_at bigint,
  revoked_at bigint,
  -- When a ban was lifted last; servers heed it when they read the key again.
  unbanned_at bigint,
  CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
  CHECK ((plan = 'enterprise') = (per_day IS NOT NULL))
);

-- Counts of requests, written back once a second.
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

CREATE TABLE orders (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  -- No reference: a closed order outlives its animal, and ids are never given again.
  pet_id bigint NOT NULL,
  adopter text COLLATE "C",
  status text COLLATE "C" NOT NULL
    CHECK (status IN ('placed', 'approved', 'completed', 'cancelled')),
  placed_at bigint NOT NULL,
  updated_at bigint NOT NULL
);

CREATE INDEX orders_by_status ON orders (status, id);
CREATE INDEX orders_by_pet ON orders (pet_id, id);
-- Two people, one animal: the database itself refuses a second open order.
CREATE UNIQUE INDEX orders_open_by_pet ON orders (pet_id)
  WHERE status IN ('placed', 'approved');

CREATE TABLE status_changes (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pet_id bigint NOT NULL REFERENCES pets (id) ON DELETE CASCADE,
  status text COLLATE "C" NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  changed_at bigint NOT NULL,
  key_id bigint
);

CREATE INDEX status_changes_by_pet ON status_changes (pet_id, id);

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
