import type { ChannelPhoto } from '../domain/channel.ts';
import { MINUTE_MS } from '../domain/clock.ts';
import type { OpenPlace } from './place.ts';

/** One sending brings photos for this long, and this many bytes of them; the next one goes on. */
const SENDING_MS = 5 * MINUTE_MS;
const SENDING_BYTES = 256 * 2 ** 20;
/** Sizes of files that are remembered: their names change with their bytes. */
const KNOWN_MAX = 100_000;

/** The names that we give to photos, also before they are complete. */
const OURS = /^[1-9]\d*-[1-9]\.jpg(?:\.part)?$/;

export interface SentPhotos {
  readonly photosSent: number;
  readonly photosLeft: number;
}

/** Reads the file of a photo; undefined if it is gone. */
export type ReadPhoto = (file: string) => Promise<Pick<Blob, 'size' | 'bytes'> | undefined>;

/** Brings photos to places: those that a place does not have with the same name and size. */
export class PhotoSender {
  readonly #read: ReadPhoto;
  readonly #sizes = new Map<string, number>();

  constructor(read: ReadPhoto) {
    this.#read = read;
  }

  async send(
    place: OpenPlace,
    folder: string,
    photos: readonly ChannelPhoto[],
  ): Promise<SentPhotos> {
    const there = await place.files(folder);
    const end = performance.now() + SENDING_MS;
    let [photosSent, bytes, photosLeft] = [0, 0, 0];
    for (const { name, file } of photos) {
      const size = this.#sizes.get(file);
      if (size !== undefined && there.get(name) === size) continue;
      if (performance.now() > end || bytes > SENDING_BYTES) {
        photosLeft++;
        continue;
      }
      const photo = await this.#read(file);
      // It was removed after the file was made.
      if (photo === undefined) continue;
      if (this.#sizes.size >= KNOWN_MAX) this.#sizes.clear();
      this.#sizes.set(file, photo.size);
      if (there.get(name) === photo.size) continue;
      await place.put(`${folder}/${name}`, await photo.bytes());
      photosSent++;
      bytes += photo.size;
    }
    return { photosSent, photosLeft };
  }

  /** Removes photos of ours that no animal in the file has any longer. */
  async removeOthers(
    place: OpenPlace,
    folder: string,
    photos: readonly ChannelPhoto[],
  ): Promise<void> {
    const wanted = new Set(photos.map(({ name }) => name));
    for (const name of (await place.files(folder)).keys()) {
      if (OURS.test(name) && !wanted.has(name)) await place.remove(`${folder}/${name}`);
    }
  }
}
