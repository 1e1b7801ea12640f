-- Photos uploaded beside the files of channels.
ALTER TABLE channels ADD COLUMN photos_as text COLLATE "C" NOT NULL DEFAULT 'addresses';
ALTER TABLE sendings ADD COLUMN photos_sent bigint NOT NULL DEFAULT 0;
ALTER TABLE sendings ADD COLUMN photos_left bigint NOT NULL DEFAULT 0;
