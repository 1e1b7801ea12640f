-- The status that an animal was added with, and who added it when, stand in its own row: most never
-- have another, and a row of the history for each would cost a third of an addition. What follows is
-- numbered by animal, from 2. And only animals that have an external id are in the index of those.
CREATE TABLE pets_made_anew (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  name TEXT NOT NULL CHECK (length(name) >= 1),
  name_folded TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  external_id TEXT,
  first_status TEXT NOT NULL CHECK (first_status IN ('available', 'pending', 'sold')),
  added_at INTEGER NOT NULL,
  added_by INTEGER
) STRICT;

-- It refers to the table that takes the name, and so does it when that has it.
CREATE TABLE status_changes_made_anew (
  pet_id INTEGER NOT NULL REFERENCES pets_made_anew (id) ON DELETE CASCADE,
  number INTEGER NOT NULL CHECK (number >= 2),
  status TEXT NOT NULL CHECK (status IN ('available', 'pending', 'sold')),
  changed_at INTEGER NOT NULL,
  key_id INTEGER,
  PRIMARY KEY (pet_id, number)
) STRICT, WITHOUT ROWID;

-- Of an animal from before there was a history nothing is known before this moment.
INSERT INTO pets_made_anew
SELECT pets.id, name, name_folded, category_id, pets.status, external_id,
  coalesce(first.status, pets.status),
  coalesce(first.changed_at, CAST(unixepoch('subsec') * 1000 AS INTEGER)),
  first.key_id
FROM pets LEFT JOIN status_changes AS first
  ON first.id = (SELECT min(id) FROM status_changes WHERE pet_id = pets.id)
ORDER BY pets.id;

INSERT INTO status_changes_made_anew
SELECT pet_id, number, status, changed_at, key_id FROM (
  SELECT *, row_number() OVER (PARTITION BY pet_id ORDER BY id) AS number FROM status_changes
) WHERE number >= 2;

-- The id of a removed animal is never given again.
DELETE FROM sqlite_sequence WHERE name = 'pets_made_anew';
INSERT INTO sqlite_sequence (name, seq)
SELECT 'pets_made_anew', seq FROM sqlite_sequence WHERE name = 'pets';

DROP TABLE status_changes;
DROP TABLE pets;
ALTER TABLE pets_made_anew RENAME TO pets;
ALTER TABLE status_changes_made_anew RENAME TO status_changes;

CREATE INDEX pets_by_status ON pets (status);
CREATE INDEX pets_by_category ON pets (category_id);
CREATE INDEX pets_by_category_and_status ON pets (category_id, status);
CREATE UNIQUE INDEX pets_by_external_id ON pets (external_id) WHERE external_id IS NOT NULL;

-- Those of 0004 and 0005, which went with the table.
CREATE TRIGGER derived_pet_names_renamed AFTER UPDATE OF name_folded ON pets
WHEN old.name_folded <> new.name_folded
  AND old.id <= (SELECT indexed_to FROM derived_pet_names_state)
BEGIN
  INSERT INTO derived_pet_names (derived_pet_names, rowid, name_folded)
  VALUES ('delete', old.id, old.name_folded);
  INSERT INTO derived_pet_names (rowid, name_folded) VALUES (new.id, new.name_folded);
END;

CREATE TRIGGER derived_pet_names_removed AFTER DELETE ON pets
BEGIN
  INSERT INTO derived_pet_names (derived_pet_names, rowid, name_folded)
  SELECT 'delete', old.id, old.name_folded
  WHERE old.id <= (SELECT indexed_to FROM derived_pet_names_state);
  -- An empty table begins anew, so that ids may come back into it with a copy.
  UPDATE derived_pet_names_state SET indexed_to = 0, merged_to = 0
  WHERE NOT EXISTS (SELECT 1 FROM pets);
END;
