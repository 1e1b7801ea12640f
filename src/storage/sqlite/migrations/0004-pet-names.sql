-- Substrings of names. Tables that begin with derived_ hold nothing of their own: they are made
-- from pets, and are neither copied nor backed up by rows.
CREATE VIRTUAL TABLE derived_pet_names USING fts5 (
  name_folded,
  content = 'pets',
  content_rowid = 'id',
  columnsize = 0,
  -- Which animals have a trigram, not where: half the size. What is found is looked at again.
  detail = none,
  -- Names are folded already, alike on every engine.
  tokenize = 'trigram case_sensitive 1'
);

-- Animals up to this id are in the index; see name-index.ts for those above it.
CREATE TABLE derived_pet_names_state (indexed_to INTEGER NOT NULL) STRICT;
INSERT INTO derived_pet_names_state (indexed_to) VALUES (0);

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
  UPDATE derived_pet_names_state SET indexed_to = 0 WHERE NOT EXISTS (SELECT 1 FROM pets);
END;
