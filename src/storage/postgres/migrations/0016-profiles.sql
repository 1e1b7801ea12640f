-- What is known of an animal besides its own row: JSON with the fields that are known.
CREATE TABLE profiles (
  pet_id bigint PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
  public text COLLATE "C" NOT NULL,
  -- What only staff may know.
  private text COLLATE "C" NOT NULL
);

-- The animals that the public sees, with what they are found and sorted by. A row follows from the animal
-- and its profile, and is written with them.
CREATE TABLE listings (
  pet_id bigint PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
  status text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  species text COLLATE "C" NOT NULL,
  sex text COLLATE "C",
  size text COLLATE "C",
  birth_date text COLLATE "C",
  -- Only without a birth date: with one, the group depends on the day.
  age_group text COLLATE "C",
  -- 1 or 0.
  dogs bigint NOT NULL,
  cats bigint NOT NULL,
  children bigint NOT NULL,
  -- The date since which the animal waits.
  since text COLLATE "C" NOT NULL,
  -- The folded name.
  name text COLLATE "C" NOT NULL,
  -- Where the animal is in the ring that the fair order starts at another place of each day.
  place bigint NOT NULL,
  -- Its folded words, each once, separated by spaces.
  words text COLLATE "C" NOT NULL
);

CREATE INDEX listings_by_place ON listings (place, pet_id);
CREATE INDEX listings_by_name ON listings (name, pet_id);
CREATE INDEX listings_by_since ON listings (since, pet_id);
CREATE INDEX listings_by_word ON listings USING gin (array_to_tsvector(string_to_array(words, ' ')));

-- Photos. No reference to their bytes: they may be elsewhere.
CREATE TABLE photos (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  pet_id bigint NOT NULL REFERENCES pets (id) ON DELETE CASCADE,
  -- Of the JPEG that is kept. It names the files.
  sha256 text COLLATE "C" NOT NULL,
  alt text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  -- The focus, in millionths of the width and the height.
  focus_x bigint NOT NULL,
  focus_y bigint NOT NULL,
  width bigint NOT NULL,
  height bigint NOT NULL,
  UNIQUE (pet_id, sha256)
);
CREATE INDEX photos_by_file ON photos (sha256);

-- The files of photos, such as `…-640.webp`. One that no photo names any more is removed in small steps.
CREATE TABLE photo_files (
  name text COLLATE "C" PRIMARY KEY,
  -- When it was stored last, in milliseconds since the Unix epoch. Negative since its removal from a
  -- bucket began: nobody may rely on it then.
  stored_at bigint NOT NULL,
  -- NULL if the bytes are in a bucket.
  content bytea
);
-- Pictures are compressed already.
ALTER TABLE photo_files ALTER COLUMN content SET STORAGE EXTERNAL;

-- JSON: the public profile of an animal, or a photo.
ALTER TABLE changes ADD COLUMN data text COLLATE "C";
ALTER TABLE unnumbered_changes ADD COLUMN data text COLLATE "C";


-- As before, with the new column.
CREATE OR REPLACE FUNCTION number_changes(most bigint) RETURNS bigint LANGUAGE plpgsql
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
    updated_at, data, derived_entry)
  SELECT last + row_number() OVER (ORDER BY entry), type, at, key_id, record_id, name, category_id,
    status, pet_id, placed_at, updated_at, data, entry
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
