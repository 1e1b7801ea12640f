-- The change log, with the record as it was right after each change. The ids have no gaps.
CREATE TABLE changes (
  id bigint PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  type text COLLATE "C" NOT NULL,
  -- Milliseconds since the Unix epoch.
  at bigint NOT NULL,
  key_id bigint,
  record_id bigint,
  name text COLLATE "C",
  category_id bigint,
  status text COLLATE "C",
  pet_id bigint,
  placed_at bigint,
  updated_at bigint,
  -- The entry that the change had in unnumbered_changes; null in a copy of another database.
  derived_entry bigint
);

-- Changes that have no id yet, written in the transaction of the change while it holds the lock of the
-- record: so the entries of one record are in the order of its changes.
CREATE TABLE unnumbered_changes (
  entry bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  type text COLLATE "C" NOT NULL,
  at bigint NOT NULL,
  key_id bigint,
  record_id bigint,
  name text COLLATE "C",
  category_id bigint,
  status text COLLATE "C",
  pet_id bigint,
  placed_at bigint,
  updated_at bigint
);

-- One row. Whoever gives ids locks it, and rarely changes it, so that it is found at once even while a
-- transaction elsewhere keeps every old version of it.
CREATE TABLE change_numbering (
  only_one integer PRIMARY KEY DEFAULT 1 CHECK (only_one = 1),
  -- Ids are greater than this, also in an empty log.
  last_id bigint NOT NULL,
  -- No entry below this is without an id, or ever will be. Looking for entries starts here, so that
  -- the removed rows that a transaction elsewhere keeps are not looked at again and again.
  first_entry bigint NOT NULL,
  -- The next value of first_entry, once these transactions, which wrote at that time, have ended.
  next_first_entry bigint,
  writers text[]
);
INSERT INTO change_numbering (last_id, first_entry) VALUES (0, 0);

-- Gives ids to at most `most` changes and returns their number, or NULL if another session is doing so.
--
-- A function, because each statement in it has its own snapshot. The move has to see all that earlier
-- numberers did, so its snapshot must be taken after the lock; and a client that is halted between
-- two statements would keep the lock.
--
-- Ids are given after the commit, by one session at a time. A row that becomes visible later gets a
-- greater id, so a reader who continues after the greatest id misses nothing, and no transaction has
-- to be waited for. The changes of one record get their ids in order: whoever sees the later one sees
-- the earlier one too, which has the smaller entry, so that it is moved first or together with it.
CREATE FUNCTION number_changes(most bigint) RETURNS bigint LANGUAGE plpgsql
-- A plan from when the table was small would read every removed row. Without it, a plan counts as
-- expensive enough to be compiled, which takes a second.
SET enable_seqscan = off SET jit = off AS $$
DECLARE
  numbering change_numbering;
  last bigint;
  moved bigint;
  drawn bigint;
  is_settled boolean := false;
BEGIN
  SELECT * INTO numbering FROM change_numbering;
  -- Writes nothing while there is nothing to do.
  IF NOT EXISTS (SELECT FROM unnumbered_changes WHERE entry >= numbering.first_entry) THEN
    RETURN 0;
  END IF;
  SELECT * INTO numbering FROM change_numbering FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  SELECT greatest(numbering.last_id, max(id)) INTO last FROM changes;

  -- A transaction locks the table before it draws an entry, and until it has ended. A prepared one
  -- (-1/...) has lost the name under which it was noted.
  IF numbering.next_first_entry IS NOT NULL THEN
    is_settled := NOT EXISTS (
      SELECT FROM pg_locks
      WHERE relation = 'unnumbered_changes'::regclass AND mode = 'RowExclusiveLock'
        AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
        AND (virtualtransaction = ANY (numbering.writers) OR virtualtransaction LIKE '-1/%')
    );
  END IF;

  WITH taken AS (
    DELETE FROM unnumbered_changes
    WHERE entry >= numbering.first_entry AND entry <= (
      SELECT max(entry) FROM (
        SELECT entry FROM unnumbered_changes WHERE entry >= numbering.first_entry
        ORDER BY entry LIMIT most
      ) AS first
    )
    RETURNING *
  )
  INSERT INTO changes (id, type, at, key_id, record_id, name, category_id, status, pet_id, placed_at,
    updated_at, derived_entry)
  SELECT last + row_number() OVER (ORDER BY entry), type, at, key_id, record_id, name, category_id,
    status, pet_id, placed_at, updated_at, entry
  FROM taken;
  GET DIAGNOSTICS moved = ROW_COUNT;

  IF is_settled AND moved < most THEN
    UPDATE change_numbering
    SET first_entry = next_first_entry, next_first_entry = NULL, writers = NULL;
  ELSIF numbering.next_first_entry IS NULL THEN
    drawn := pg_sequence_last_value(pg_get_serial_sequence('unnumbered_changes', 'entry')::regclass);
    IF drawn >= numbering.first_entry + 10000 THEN
      -- Read after `drawn`: whoever drew an entry until then has ended, or is one of these.
      UPDATE change_numbering SET next_first_entry = drawn + 1, writers = ARRAY(
        SELECT virtualtransaction FROM pg_locks
        WHERE relation = 'unnumbered_changes'::regclass AND mode = 'RowExclusiveLock'
          AND database = (SELECT oid FROM pg_database WHERE datname = current_database())
          AND pid IS DISTINCT FROM pg_backend_pid()
      );
    END IF;
  END IF;
  RETURN moved;
END
$$;
