-- When a ban of the key was lifted last; servers heed it when they read the key again.
ALTER TABLE api_keys ADD COLUMN unbanned_at INTEGER;

-- Counts of requests, written back once a second. Times in milliseconds since the Unix epoch.
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
