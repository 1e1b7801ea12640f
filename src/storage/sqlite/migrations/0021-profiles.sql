-- What is known of an animal besides its own row: JSON with the fields that are known.
CREATE TABLE profiles (
  pet_id INTEGER NOT NULL PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
  public TEXT NOT NULL,
  -- What only staff may know.
  private TEXT NOT NULL
) STRICT;

-- The animals that the public sees, with what they are found and sorted by. A row follows from the animal
-- and its profile, and is written with them.
CREATE TABLE listings (
  pet_id INTEGER NOT NULL PRIMARY KEY REFERENCES pets (id) ON DELETE CASCADE,
  status TEXT NOT NULL,
  category_id INTEGER NOT NULL,
  species TEXT NOT NULL,
  sex TEXT,
  size TEXT,
  birth_date TEXT,
  -- Only without a birth date: with one, the group depends on the day.
  age_group TEXT,
  -- 1 or 0.
  dogs INTEGER NOT NULL,
  cats INTEGER NOT NULL,
  children INTEGER NOT NULL,
  -- The date since which the animal waits.
  since TEXT NOT NULL,
  -- The folded name.
  name TEXT NOT NULL,
  -- Where the animal is in the ring that the fair order starts at another place of each day.
  place INTEGER NOT NULL,
  -- Its folded words, each once, separated by spaces.
  words TEXT NOT NULL
) STRICT;

-- One for each order, with what a filter reads, so that rows are fetched only for the page.
CREATE INDEX listings_by_place ON listings
  (place, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, children, category_id);
CREATE INDEX listings_by_name ON listings
  (name, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, children, category_id);
CREATE INDEX listings_by_since ON listings
  (since, pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, children, category_id);
CREATE INDEX listings_by_pet_id ON listings
  (pet_id, species, status, sex, size, birth_date, age_group, dogs, cats, children, category_id);
-- In the order in which the listings are counted.
CREATE INDEX listings_by_value ON listings
  (species, sex, size, status, category_id, dogs, cats, children, age_group, birth_date);

-- `ascii` separates words at spaces alone: every other character of them is a letter or digit to it. Without
-- `prefix`, a search for words that start with a letter merges the animals of thousands of words.
CREATE VIRTUAL TABLE derived_listing_words USING fts5 (
  words, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii', prefix = '1 2'
);
CREATE TRIGGER listing_words_added AFTER INSERT ON listings BEGIN
  INSERT INTO derived_listing_words (rowid, words) VALUES (new.pet_id, new.words);
END;
CREATE TRIGGER listing_words_changed AFTER UPDATE OF words ON listings WHEN new.words <> old.words BEGIN
  DELETE FROM derived_listing_words WHERE rowid = old.pet_id;
  INSERT INTO derived_listing_words (rowid, words) VALUES (new.pet_id, new.words);
END;
CREATE TRIGGER listing_words_removed AFTER DELETE ON listings BEGIN
  DELETE FROM derived_listing_words WHERE rowid = old.pet_id;
END;

-- Photos. No reference to their bytes: they may be elsewhere.
CREATE TABLE photos (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  pet_id INTEGER NOT NULL REFERENCES pets (id) ON DELETE CASCADE,
  -- Of the JPEG that is kept. It names the files.
  sha256 TEXT NOT NULL,
  alt TEXT NOT NULL,
  position INTEGER NOT NULL,
  -- The focus, in millionths of the width and the height.
  focus_x INTEGER NOT NULL,
  focus_y INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  UNIQUE (pet_id, sha256)
) STRICT;
CREATE INDEX photos_by_file ON photos (sha256);

-- The files of photos, such as `…-640.webp`. One that no photo names any more is removed in small steps.
CREATE TABLE photo_files (
  name TEXT NOT NULL PRIMARY KEY,
  -- When it was stored last, in milliseconds since the Unix epoch. Negative since its removal from a
  -- bucket began: nobody may rely on it then.
  stored_at INTEGER NOT NULL,
  -- NULL if the bytes are in a bucket.
  content BLOB
) STRICT;

-- JSON: the public profile of an animal, or a photo.
ALTER TABLE changes ADD COLUMN data TEXT;
