-- Whatever is merged in the index of names is merged a little at a time: see name-index.ts. By itself
-- FTS5 does more of it at once the longer the index has been there, and all writes wait meanwhile.
INSERT INTO derived_pet_names (derived_pet_names, rank) VALUES ('automerge', 0);
-- Of so many pieces all are merged at once. It is out of reach, but less than FTS5 can have.
INSERT INTO derived_pet_names (derived_pet_names, rank) VALUES ('crisismerge', 1000);
