-- What the public is told about the shop: at most one row.
CREATE TABLE shop (
  place INTEGER NOT NULL PRIMARY KEY CHECK (place = 1),
  -- JSON: the fields that are set.
  data TEXT NOT NULL,
  -- Signs the time stamps of forms, in hexadecimal; NULL until there is one.
  form_secret TEXT
) STRICT;

-- What people ask about animals. No reference: an enquiry outlives its animal and its adoption.
CREATE TABLE enquiries (
  id INTEGER PRIMARY KEY AUTOINCREMENT CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id INTEGER NOT NULL,
  order_id INTEGER,
  status TEXT NOT NULL CHECK (status IN ('new', 'answered', 'closed')),
  name TEXT NOT NULL,
  email TEXT,
  telephone TEXT,
  message TEXT NOT NULL,
  language TEXT NOT NULL,
  received_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL
) STRICT;
CREATE INDEX enquiries_by_status ON enquiries (status);
CREATE INDEX enquiries_by_time ON enquiries (received_at);

-- Who has sent enquiries within the last hour: a keyed hash of the address.
CREATE TABLE enquiry_senders (
  enquiry_id INTEGER NOT NULL PRIMARY KEY,
  sender TEXT NOT NULL,
  received_at INTEGER NOT NULL
) STRICT;
CREATE INDEX enquiry_senders_by_sender ON enquiry_senders (sender, received_at);
CREATE INDEX enquiry_senders_by_time ON enquiry_senders (received_at);

-- Mails to staff, each about the enquiries in a range of ids: the one to send, and the last one.
CREATE TABLE mails (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  -- Its Message-ID, the same at each attempt.
  name TEXT NOT NULL,
  first_enquiry_id INTEGER NOT NULL,
  last_enquiry_id INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  attempts INTEGER NOT NULL,
  next_attempt_at INTEGER NOT NULL,
  -- Nobody else may send it before this time.
  leased_until INTEGER NOT NULL,
  -- When it was sent or given up; NULL until then.
  ended_at INTEGER
) STRICT;
