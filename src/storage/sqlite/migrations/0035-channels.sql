-- Places that take files of animals (src/channels), and what was sent to them.
CREATE TABLE channels (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  kind TEXT NOT NULL,
  address TEXT NOT NULL,
  account_id TEXT,
  -- Encrypted.
  secret TEXT,
  -- Of an SFTP server; null until the first connection.
  host_key TEXT,
  every_ms INTEGER NOT NULL,
  -- Null while it is enabled.
  disabled_reason TEXT,
  next_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  -- The animals in the file that was sent last.
  sent_rows INTEGER,
  sent_at INTEGER,
  -- Since the last success.
  failures INTEGER NOT NULL,
  problem TEXT,
  told_at INTEGER
) STRICT;

CREATE TABLE sendings (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  channel_id INTEGER NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  outcome TEXT NOT NULL,
  row_count INTEGER NOT NULL,
  byte_count INTEGER NOT NULL,
  left_out_count INTEGER NOT NULL,
  -- JSON.
  left_out TEXT NOT NULL,
  problem TEXT,
  anyway INTEGER NOT NULL
) STRICT;
CREATE INDEX sendings_by_channel ON sendings (channel_id, id);
