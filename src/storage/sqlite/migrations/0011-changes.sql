-- The change log. A row is written in the transaction of its change, with the record as it was right
-- after it. AUTOINCREMENT, so that the ids go on where a restored database stopped.
CREATE TABLE changes (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  type TEXT NOT NULL,
  -- Milliseconds since the Unix epoch.
  at INTEGER NOT NULL,
  key_id INTEGER,
  record_id INTEGER,
  name TEXT,
  category_id INTEGER,
  status TEXT,
  pet_id INTEGER,
  placed_at INTEGER,
  updated_at INTEGER
) STRICT;
