-- Requests of each key by hour and by day of UTC.
CREATE TABLE usage_counts (
  key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  period TEXT NOT NULL CHECK (period IN ('hour', 'day')),
  -- Milliseconds since the Unix epoch.
  start INTEGER NOT NULL,
  requests INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  errors INTEGER NOT NULL,
  PRIMARY KEY (key_id, period, start)
) STRICT, WITHOUT ROWID;

CREATE INDEX usage_counts_by_start ON usage_counts (period, start);
