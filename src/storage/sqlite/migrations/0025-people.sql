-- A person is a key of this kind. Its plan is stored as business, which has the same limits.
ALTER TABLE api_keys
  ADD COLUMN kind TEXT NOT NULL DEFAULT 'program' CHECK (kind IN ('program', 'person'));

CREATE TABLE people (
  key_id INTEGER PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  email TEXT NOT NULL,
  -- In lower case. NULL for somebody who was removed: their address is free.
  email_folded TEXT UNIQUE,
  -- NULL until the person has chosen a password.
  password_hash TEXT,
  -- The last invitation, until it is used.
  invitation_hash TEXT UNIQUE,
  invited_until INTEGER
) STRICT;
