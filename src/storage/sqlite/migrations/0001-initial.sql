-- What kind of deployment the database belongs to.
CREATE TABLE deployment (
  environment TEXT NOT NULL CHECK (environment IN ('production', 'staging'))
) STRICT;

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
  external_id TEXT UNIQUE
) STRICT;

-- Each ends in the id (SQLite adds it), so a filtered page is read in order from where it begins.
CREATE INDEX pets_by_status ON pets (status);
CREATE INDEX pets_by_category ON pets (category_id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status);

CREATE TABLE api_keys (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  hash TEXT NOT NULL UNIQUE CHECK (length(hash) = 64),
  name TEXT NOT NULL,
  plan TEXT NOT NULL CHECK (plan IN ('free', 'pro', 'business', 'enterprise')),
  per_minute INTEGER CHECK (per_minute >= 1),
  per_day INTEGER CHECK (per_day >= 1),
  scopes TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  expires_at INTEGER,
  last_used_at INTEGER,
  revoked_at INTEGER,
  CHECK ((plan = 'enterprise') = (per_minute IS NOT NULL)),
  CHECK ((plan = 'enterprise') = (per_day IS NOT NULL))
) STRICT;
