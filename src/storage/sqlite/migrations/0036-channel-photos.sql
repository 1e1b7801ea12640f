-- Photos uploaded beside the files of channels.
ALTER TABLE channels ADD COLUMN photos_as TEXT NOT NULL DEFAULT 'addresses';
ALTER TABLE sendings ADD COLUMN photos_sent INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sendings ADD COLUMN photos_left INTEGER NOT NULL DEFAULT 0;
