-- Who takes care of an enquiry, the key of a person, and what staff note about it.
ALTER TABLE enquiries ADD COLUMN owner_id bigint;
ALTER TABLE enquiries ADD COLUMN note text COLLATE "C";

-- The language that a person has chosen; NULL to follow the browser.
ALTER TABLE people ADD COLUMN language text COLLATE "C";
