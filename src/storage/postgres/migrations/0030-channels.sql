-- Places that take files of animals (src/channels), and what was sent to them.
CREATE TABLE channels (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  kind text COLLATE "C" NOT NULL,
  address text COLLATE "C" NOT NULL,
  account_id text COLLATE "C",
  -- Encrypted.
  secret text COLLATE "C",
  -- Of an SFTP server; null until the first connection.
  host_key text COLLATE "C",
  every_ms bigint NOT NULL,
  -- Null while it is enabled.
  disabled_reason text COLLATE "C",
  next_at bigint NOT NULL,
  created_at bigint NOT NULL,
  -- The animals in the file that was sent last.
  sent_rows bigint,
  sent_at bigint,
  -- Since the last success.
  failures bigint NOT NULL,
  problem text COLLATE "C",
  told_at bigint
);

CREATE TABLE sendings (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  channel_id bigint NOT NULL REFERENCES channels (id) ON DELETE CASCADE,
  started_at bigint NOT NULL,
  ended_at bigint,
  outcome text COLLATE "C" NOT NULL,
  row_count bigint NOT NULL,
  byte_count bigint NOT NULL,
  left_out_count bigint NOT NULL,
  -- JSON.
  left_out text COLLATE "C" NOT NULL,
  problem text COLLATE "C",
  anyway bigint NOT NULL
);
CREATE INDEX sendings_by_channel ON sendings (channel_id, id);
