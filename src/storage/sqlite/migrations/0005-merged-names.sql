-- Two pieces of the index of names are merged as soon as there are two of a size, where the default
-- waits for four: a search asks each of them. Only when there is time for it: see name-index.ts.
INSERT INTO derived_pet_names (derived_pet_names, rank) VALUES ('usermerge', 2);

-- The last animal in the index when it was merged into one piece.
ALTER TABLE derived_pet_names_state ADD COLUMN merged_to INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER derived_pet_names_removed;
CREATE TRIGGER derived_pet_names_removed AFTER DELETE ON pets
BEGIN
  INSERT INTO derived_pet_names (derived_pet_names, rowid, name_folded)
  SELECT 'delete', old.id, old.name_folded
  WHERE old.id <= (SELECT indexed_to FROM derived_pet_names_state);
  -- An empty table begins anew, so that ids may come back into it with a copy.
  UPDATE derived_pet_names_state SET indexed_to = 0, merged_to = 0
  WHERE NOT EXISTS (SELECT 1 FROM pets);
END;
