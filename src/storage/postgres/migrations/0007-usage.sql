-- Requests of each key by hour and by day of UTC.
CREATE TABLE usage_counts (
  key_id bigint NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  period text COLLATE "C" NOT NULL CHECK (period IN ('hour', 'day')),
  -- Milliseconds since the Unix epoch.
  start bigint NOT NULL,
  requests bigint NOT NULL,
  refused bigint NOT NULL,
  errors bigint NOT NULL,
  PRIMARY KEY (key_id, period, start)
);

CREATE INDEX usage_counts_by_start ON usage_counts (period, start);
