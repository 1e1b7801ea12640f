-- The family of keys that a webhook belongs to: its first key. NULL for a webhook of the shop.
ALTER TABLE webhooks ADD COLUMN owner_id INTEGER;
CREATE INDEX api_keys_by_family ON api_keys (family_id) WHERE family_id IS NOT NULL;
