-- Mails that are to be sent, or were within the last days. What each says is made of what it is about when it is sent.
CREATE TABLE mails_to_send (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  -- A part of its Message-ID, the same at each attempt.
  name text COLLATE "C" NOT NULL,
  kind text COLLATE "C" NOT NULL CHECK (kind IN ('enquiries', 'copy', 'confirm_alert', 'alert')),
  -- The enquiry or the alert that it is about; NULL for the enquiries of a mail to staff.
  subject_id bigint,
  -- A keyed hash of the address; NULL for staff.
  receiver text COLLATE "C",
  status text COLLATE "C" NOT NULL CHECK (status IN ('pending', 'delivered', 'failed')),
  attempts bigint NOT NULL,
  next_attempt_at bigint,
  created_at bigint NOT NULL
);
-- Enquiries that nobody was told of were in the mail under way, or come after the last one.
ALTER TABLE enquiries ADD COLUMN mail_id bigint;
UPDATE enquiries SET mail_id = 0 WHERE id <= coalesce((SELECT max(last_enquiry_id) FROM mails), 0)
  AND NOT EXISTS (SELECT 1 FROM mails WHERE ended_at IS NULL
    AND enquiries.id BETWEEN first_enquiry_id AND last_enquiry_id);
DROP TABLE mails;
ALTER TABLE mails_to_send RENAME TO mails;
CREATE INDEX mails_pending ON mails (id) WHERE status = 'pending';
CREATE INDEX mails_by_receiver ON mails (receiver, created_at) WHERE receiver IS NOT NULL;
CREATE INDEX mails_by_time ON mails (created_at);
CREATE INDEX enquiries_by_mail ON enquiries (mail_id) WHERE mail_id > 0;
CREATE INDEX enquiries_untold ON enquiries (id) WHERE mail_id IS NULL AND status = 'new';

-- 1 if it may be spam.
ALTER TABLE enquiries ADD COLUMN suspected bigint NOT NULL DEFAULT 0;
-- JSON: the answers to the questions of the shop; NULL without any.
ALTER TABLE enquiries ADD COLUMN answers text COLLATE "C";
DROP INDEX enquiries_by_status;
CREATE INDEX enquiries_by_status ON enquiries (status, suspected, id);

-- An adoption that began as an enquiry: what it says of the adopter is erased with the enquiry.
ALTER TABLE orders ADD COLUMN answers text COLLATE "C";
-- 1 once the enquiry is erased: at its end the order says nothing more of the adopter.
ALTER TABLE orders ADD COLUMN erased_at_end bigint NOT NULL DEFAULT 0;
DROP INDEX orders_to_erase;
CREATE INDEX orders_to_erase ON orders (updated_at)
  WHERE status IN ('completed', 'cancelled')
    AND coalesce(adopter, contact, note, return_reason, answers) IS NOT NULL;

-- Who has sent forms within the last hour, as keyed hashes: the address, the address with who it says it is, and
-- what was written.
DROP TABLE enquiry_senders;
CREATE TABLE sent_forms (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  sender text COLLATE "C" NOT NULL,
  pair text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL,
  suspected bigint NOT NULL,
  -- 1 if it has caused a mail.
  mailed bigint NOT NULL,
  sent_at bigint NOT NULL
);
CREATE INDEX sent_forms_by_sender ON sent_forms (sender, sent_at);
CREATE INDEX sent_forms_by_time ON sent_forms (sent_at);

-- Searches of families: who wants to hear of new animals. A row is erased as soon as it ends.
CREATE TABLE alerts (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY CHECK (id BETWEEN 1 AND 9007199254740991),
  -- Names it in links, which are signed with the secret of the forms.
  name text COLLATE "C" NOT NULL UNIQUE,
  email text COLLATE "C" NOT NULL,
  -- A keyed hash of the address.
  receiver text COLLATE "C" NOT NULL,
  -- The query of the list.
  search text COLLATE "C" NOT NULL,
  language text COLLATE "C" NOT NULL,
  created_at bigint NOT NULL,
  -- NULL until its mail was answered.
  confirmed_at bigint,
  ends_at bigint NOT NULL,
  -- Animals listed up to this time were told, or did not match.
  seen_at bigint NOT NULL,
  -- When a mail was last made; NULL before the first.
  told_at bigint
);
CREATE INDEX alerts_by_receiver ON alerts (receiver);
CREATE INDEX alerts_by_end ON alerts (ends_at);
CREATE INDEX alerts_by_seen ON alerts (seen_at) WHERE confirmed_at IS NOT NULL;
