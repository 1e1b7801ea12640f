-- Who is signed in to the console. A cookie holds the token; only its hash is stored.
CREATE TABLE sessions (
  hash text COLLATE "C" PRIMARY KEY,
  key_id bigint NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  -- Milliseconds since the Unix epoch.
  created_at bigint NOT NULL,
  last_used_at bigint NOT NULL
);

CREATE INDEX sessions_by_key ON sessions (key_id, last_used_at);
