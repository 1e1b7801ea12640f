-- What the public is told about the shop: at most one row.
CREATE TABLE shop (
  place bigint PRIMARY KEY CHECK (place = 1),
  -- JSON: the fields that are set.
  data text COLLATE "C" NOT NULL,
  -- Signs the time stamps of forms, in hexadecimal; NULL until there is one.
  form_secret text COLLATE "C"
);

-- What people ask about animals. No reference: an enquiry outlives its animal and its adoption.
CREATE TABLE enquiries (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  pet_id bigint NOT NULL,
  order_id bigint,
  status text COLLATE "C" NOT NULL CHECK (status IN ('new', 'answered', 'closed')),
  name text COLLATE "C" NOT NULL,
  email text COLLATE "C",
  telephone text COLLATE "C",
  message text COLLATE "C" NOT NULL,
  language text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL,
  updated_at bigint NOT NULL
);
CREATE INDEX enquiries_by_status ON enquiries (status, id);
CREATE INDEX enquiries_by_time ON enquiries (received_at);

-- Who has sent enquiries within the last hour: a keyed hash of the address.
CREATE TABLE enquiry_senders (
  enquiry_id bigint PRIMARY KEY,
  sender text COLLATE "C" NOT NULL,
  received_at bigint NOT NULL
);
CREATE INDEX enquiry_senders_by_sender ON enquiry_senders (sender, received_at);
CREATE INDEX enquiry_senders_by_time ON enquiry_senders (received_at);

-- Mails to staff, each about the enquiries in a range of ids: the one to send, and the last one.
CREATE TABLE mails (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- Its Message-ID, the same at each attempt.
  name text COLLATE "C" NOT NULL,
  first_enquiry_id bigint NOT NULL,
  last_enquiry_id bigint NOT NULL,
  created_at bigint NOT NULL,
  attempts bigint NOT NULL,
  next_attempt_at bigint NOT NULL,
  -- Nobody else may send it before this time.
  leased_until bigint NOT NULL,
  -- When it was sent or given up; NULL until then.
  ended_at bigint
);
