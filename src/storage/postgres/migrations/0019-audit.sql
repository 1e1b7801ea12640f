-- One record of what happened (docs/decisions/0021-change-log.md). The fields that a change changed: JSON,
-- {"name": ["Rex", "Max"]}, or `true` in place of the values of a personal field. NULL where the other
-- columns say all, and in rows from before this migration.
ALTER TABLE changes ADD COLUMN changed text COLLATE "C";
ALTER TABLE unnumbered_changes ADD COLUMN changed text COLLATE "C";
-- What a change is about that is no event, such as a key; NULL for events.
ALTER TABLE changes ADD COLUMN subject_id bigint;
ALTER TABLE unnumbered_changes ADD COLUMN subject_id bigint;
-- The import that made the change.
ALTER TABLE changes ADD COLUMN import_id bigint;
ALTER TABLE unnumbered_changes ADD COLUMN import_id bigint;

-- As before, with the new columns.
DO $$ BEGIN
  EXECUTE replace(
    pg_get_functiondef('number_changes(bigint)'::regprocedure),
    'updated_at, data,', 'updated_at, data, changed, subject_id, import_id,'
  );
END $$;

-- What happened to an animal: its own rows, and those of its parts and adoptions.
CREATE INDEX changes_by_record ON changes (record_id, id);
CREATE INDEX changes_by_pet ON changes (pet_id, id) WHERE pet_id IS NOT NULL;
-- The audit shows an import as one line. The other lines are found without reading what imports wrote.
CREATE INDEX changes_by_import ON changes (import_id, id) WHERE import_id IS NOT NULL;
CREATE INDEX changes_by_hand ON changes (id) WHERE import_id IS NULL;
CREATE INDEX changes_by_key ON changes (key_id, id) WHERE import_id IS NULL;
CREATE INDEX changes_by_type ON changes (type, id) WHERE import_id IS NULL AND type <> 'pet.created';

-- One row: the first change that is still an event. Those before it are there for the audit alone.
CREATE TABLE event_start (
  only_one bigint PRIMARY KEY CHECK (only_one = 1),
  first_id bigint NOT NULL
);

-- Removed animals, with all that brings them back. The private fields of a removed animal are nowhere else.
CREATE TABLE removed_pets (
  pet_id bigint PRIMARY KEY,
  removed_at bigint NOT NULL,
  name text COLLATE "C" NOT NULL,
  name_folded text COLLATE "C" NOT NULL,
  category_id bigint NOT NULL,
  status text COLLATE "C" NOT NULL,
  external_id text COLLATE "C",
  first_status text COLLATE "C" NOT NULL,
  added_at bigint NOT NULL,
  added_by bigint,
  -- As in profiles; NULL without one.
  public text COLLATE "C",
  private text COLLATE "C"
);
CREATE INDEX removed_pets_by_time ON removed_pets (removed_at);

-- Their photos, as in photos.
CREATE TABLE removed_photos (
  photo_id bigint PRIMARY KEY,
  pet_id bigint NOT NULL REFERENCES removed_pets (pet_id) ON DELETE CASCADE,
  sha256 text COLLATE "C" NOT NULL,
  alt text COLLATE "C" NOT NULL,
  position bigint NOT NULL,
  focus_x bigint NOT NULL,
  focus_y bigint NOT NULL,
  width bigint NOT NULL,
  height bigint NOT NULL
);
CREATE INDEX removed_photos_by_pet ON removed_photos (pet_id);
CREATE INDEX removed_photos_by_file ON removed_photos (sha256);
