-- How long a key was meant to live, which a rotation of it does not change; null where it has no end.
ALTER TABLE api_keys ADD COLUMN lifetime INTEGER;
-- A successor knows the key that it replaces, and the first key of its family: counts and results of
-- idempotent requests are kept under that one. No references, since keys are never removed.
ALTER TABLE api_keys ADD COLUMN predecessor_id INTEGER;
ALTER TABLE api_keys ADD COLUMN family_id INTEGER;

UPDATE api_keys SET lifetime = expires_at - created_at;
