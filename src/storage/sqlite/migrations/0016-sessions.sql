-- Who is signed in to the console. A cookie holds the token; only its hash is stored.
CREATE TABLE sessions (
  hash TEXT PRIMARY KEY,
  key_id INTEGER NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  -- Milliseconds since the Unix epoch.
  created_at INTEGER NOT NULL,
  last_used_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE INDEX sessions_by_key ON sessions (key_id, last_used_at);
