ALTER TABLE api_keys
  -- How long a key was meant to live, which a rotation of it does not change; null where it has no end.
  ADD COLUMN lifetime bigint,
  -- A successor knows the key that it replaces, and the first key of its family: counts and results of
  -- idempotent requests are kept under that one. No references, since keys are never removed.
  ADD COLUMN predecessor_id bigint,
  ADD COLUMN family_id bigint;

UPDATE api_keys SET lifetime = expires_at - created_at;
