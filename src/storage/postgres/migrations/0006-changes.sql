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

-- The greatest id of the change log. Whoever gives ids locks this row.
CREATE TABLE change_numbering (
  only_one integer PRIMARY KEY DEFAULT 1 CHECK (only_one = 1),
  last_id bigint NOT NULL
);
INSERT INTO change_numbering (last_id) VALUES (0);

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
CREATE FUNCTION number_changes(most bigint) RETURNS bigint LANGUAGE plpgsql AS $$
DECLARE
  last bigint;
  moved bigint;
BEGIN
  -- Writes nothing while there is nothing to do.
  IF NOT EXISTS (SELECT FROM unnumbered_changes) THEN RETURN 0; END IF;
  SELECT last_id INTO last FROM change_numbering FOR UPDATE SKIP LOCKED;
  IF NOT FOUND THEN RETURN NULL; END IF;
  WITH taken AS (
    DELETE FROM unnumbered_changes
    WHERE entry <= (
      SELECT max(entry) FROM (SELECT entry FROM unnumbered_changes ORDER BY entry LIMIT most) AS first
    )
    RETURNING *
  )
  INSERT INTO changes (id, type, at, key_id, record_id, name, category_id, status, pet_id, placed_at,
    updated_at, derived_entry)
  SELECT last + row_number() OVER (ORDER BY entry), type, at, key_id, record_id, name, category_id,
    status, pet_id, placed_at, updated_at, entry
  FROM taken;
  GET DIAGNOSTICS moved = ROW_COUNT;
  UPDATE change_numbering SET last_id = last + moved WHERE moved > 0;
  RETURN moved;
END
$$;
