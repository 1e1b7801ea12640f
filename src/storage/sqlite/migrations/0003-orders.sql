CREATE TABLE orders (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  -- No reference: a closed order outlives its animal, and ids are never given again.
  pet_id INTEGER NOT NULL,
  adopter TEXT,
  status TEXT NOT NULL CHECK (status IN ('placed', 'approved', 'completed', 'cancelled')),
  placed_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;

CREATE INDEX orders_by_status ON orders (status);
CREATE INDEX orders_by_pet ON orders (pet_id);
-- Two people, one animal: the database itself refuses a second open order.
CREATE UNIQUE INDEX orders_open_by_pet ON orders (pet_id)
  WHERE status IN ('placed', 'approved');

CREATE TABLE status_changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pet_id INTEGER NOT NULL REFERENCES pets (id) ON DELETE CASCADE,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  changed_at INTEGER NOT NULL,
  key_id INTEGER
) STRICT;

CREATE INDEX status_changes_by_pet ON status_changes (pet_id);

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
