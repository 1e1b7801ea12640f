-- One record of what happened (docs/decisions/0021-change-log.md). The fields that a change changed: JSON,
-- {"name": ["Rex", "Max"]}, or `true` in place of the values of a personal field. NULL where the other
-- columns say all, and in rows from before this migration.
ALTER TABLE changes ADD COLUMN changed TEXT;
-- What a change is about that is no event, such as a key; NULL for events.
ALTER TABLE changes ADD COLUMN subject_id INTEGER;
-- The import that made the change.
ALTER TABLE changes ADD COLUMN import_id INTEGER;

-- What happened to an animal: its own rows, and those of its parts and adoptions.
CREATE INDEX changes_by_record ON changes (record_id);
CREATE INDEX changes_by_pet ON changes (pet_id) WHERE pet_id IS NOT NULL;
-- The audit shows an import as one line. The other lines are found without reading what imports wrote.
CREATE INDEX changes_by_import ON changes (import_id) WHERE import_id IS NOT NULL;
CREATE INDEX changes_by_hand ON changes (id) WHERE import_id IS NULL;
CREATE INDEX changes_by_key ON changes (key_id) WHERE import_id IS NULL;
CREATE INDEX changes_by_type ON changes (type) WHERE import_id IS NULL AND type <> 'pet.created';

-- One row: the first change that is still an event. Those before it are there for the audit alone.
CREATE TABLE event_start (
  only_one INTEGER NOT NULL PRIMARY KEY CHECK (only_one = 1),
  first_id INTEGER NOT NULL
) STRICT;

-- Removed animals, with all that brings them back. The private fields of a removed animal are nowhere else.
CREATE TABLE removed_pets (
  pet_id INTEGER NOT NULL PRIMARY KEY,
  removed_at INTEGER NOT NULL,
  name TEXT NOT NULL,
  name_folded TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL,
  external_id TEXT,
  first_status TEXT NOT NULL,
  added_at INTEGER NOT NULL,
  added_by INTEGER,
  -- As in profiles; NULL without one.
  public TEXT,
  private TEXT
) STRICT;
CREATE INDEX removed_pets_by_time ON removed_pets (removed_at);

-- Their photos, as in photos.
CREATE TABLE removed_photos (
  photo_id INTEGER NOT NULL PRIMARY KEY,
  pet_id INTEGER NOT NULL REFERENCES removed_pets (pet_id) ON DELETE CASCADE,
  sha256 TEXT NOT NULL,
  alt TEXT NOT NULL,
  position INTEGER NOT NULL,
  focus_x INTEGER NOT NULL,
  focus_y INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL
) STRICT;
CREATE INDEX removed_photos_by_pet ON removed_photos (pet_id);
CREATE INDEX removed_photos_by_file ON removed_photos (sha256);
