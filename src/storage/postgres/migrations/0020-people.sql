-- A person is a key of this kind. Its plan is stored as business, which has the same limits.
ALTER TABLE api_keys
  ADD COLUMN kind text COLLATE "C" NOT NULL DEFAULT 'program' CHECK (kind IN ('program', 'person'));

CREATE TABLE people (
  key_id bigint PRIMARY KEY REFERENCES api_keys (id) ON DELETE CASCADE,
  email text COLLATE "C" NOT NULL,
  -- In lower case. NULL for somebody who was removed: their address is free.
  email_folded text COLLATE "C" UNIQUE,
  -- NULL until the person has chosen a password.
  password_hash text COLLATE "C",
  -- The last invitation, until it is used.
  invitation_hash text COLLATE "C" UNIQUE,
  invited_until bigint
);
