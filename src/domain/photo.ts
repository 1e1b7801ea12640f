import type { ChangeStamp, Precondition } from './change-stamp.ts';
import { Failure } from './failure.ts';
import type { Upload } from './upload.ts';

/** The most photos of one animal. */
export const PHOTOS_MAX = 12;
/** 20 MiB: more than a telephone makes. */
export const PHOTO_BYTES_MAX = 20_971_520;
/** The longest alternative text, in characters. */
export const ALT_MAX = 200;

/** A point of a photo, as fractions of its width and height: 0 to 1. */
interface Focus {
  readonly x: number;
  readonly y: number;
}

/** A photo to add: the JPEG that is kept, from which all sizes are made. */
export interface NewPhoto {
  /** The SHA-256 of that JPEG in hexadecimal. It names the files. */
  readonly sha256: string;
  /** Pixels of that JPEG. */
  readonly width: number;
  readonly height: number;
  /** What the photo shows, for those who do not see it; '' if nobody said so. */
  readonly alt: string;
}

/** A photo of an animal. */
export interface Photo extends NewPhoto {
  /** Assigned by the storage, and never again. */
  readonly id: bigint;
  readonly petId: bigint;
  /** Its place among the photos of the animal, from 1. */
  readonly position: number;
  /** What must stay visible where the photo is cut. */
  readonly focus: Focus;
}

/** A change of a photo; undefined leaves a value as it is. */
export interface PhotoChange {
  readonly alt?: string | undefined;
  /** A place beyond the last means the last. The other photos move. */
  readonly position?: number | undefined;
  readonly focus?: Focus | undefined;
}

/** The failure of another photo for an animal that has the most it may have. */
export function tooManyPhotos(petId: bigint): Failure {
  return new Failure(
    'conflict',
    `The animal ${petId} has ${PHOTOS_MAX} photos, which is the most: remove one first.`,
  );
}

/** What to do about a photo in a format of telephones, HEIC or AVIF. */
export const SAVE_AS_JPEG =
  'Save or share the photo as JPEG: an iPhone does so by itself with Settings, Camera, Formats, Most Compatible, and a computer with its program for pictures, or with "magick photo.heic photo.jpg".';

/** Throws `unsupported_media_type` for the type of a photo that no program here can decode. */
export function refuseTelephoneFormat(contentType: string): void {
  const [, format] = /^\s*image\/(heic|heif|avif)(?:-sequence)?\s*(?:;|$)/i.exec(contentType) ?? [];
  if (format === undefined) return;
  const message = `Send a JPEG, PNG or WebP file: ${format.toUpperCase()} cannot be decoded here. ${SAVE_AS_JPEG}`;
  throw new Failure('unsupported_media_type', message);
}

/** The storage contract of photos: their records, not the bytes. */
export interface PhotoStorage {
  /** Returns the photos of an animal in order; undefined if the animal does not exist. */
  list(petId: bigint): Promise<readonly Photo[] | undefined>;
  /** Returns a photo of an animal. */
  find(petId: bigint, id: bigint): Promise<Photo | undefined>;
  /**
   * Adds a photo at the end; the one that is there already if it is the same. Returns undefined if the
   * animal does not exist. Throws `conflict` if the animal has the most photos it may have.
   */
  add(
    petId: bigint,
    photo: NewPhoto,
    stamp: ChangeStamp,
  ): Promise<{ readonly photo: Photo; readonly isNew: boolean } | undefined>;
  /** Changes a photo. Returns undefined if the animal has no such photo. Throws what the precondition throws. */
  update(
    petId: bigint,
    id: bigint,
    change: PhotoChange,
    stamp: ChangeStamp,
    precondition: Precondition<Photo>,
  ): Promise<Photo | undefined>;
  /** Removes a photo; the later ones move up. Returns whether the animal had it. */
  remove(
    petId: bigint,
    id: bigint,
    stamp: ChangeStamp,
    precondition: Precondition<Photo>,
  ): Promise<boolean>;
  /** Says who may see the files of a photo: `public` if an animal that has it is listed; undefined if none has it. */
  audience(sha256: string): Promise<'public' | 'staff' | undefined>;
}

/** A picture made from a photo, under the name that it is served by. */
interface PhotoFile {
  /** Such as `…-640.webp`: the SHA-256 of the kept JPEG, and the width in pixels. */
  readonly name: string;
  /** Null if it is in a bucket. */
  readonly content: Uint8Array | null;
}

/** The storage contract of the files of photos. Their bytes may be in a bucket: then it has only their names. */
export interface PhotoFileStorage {
  /**
   * Stores files, or the names of those in a bucket, at a time in milliseconds since the Unix epoch.
   * Returns false while one of them is being removed from its bucket: nobody may rely on them then.
   */
  put(files: readonly PhotoFile[], at: number): Promise<boolean>;
  find(name: string): Promise<Pick<PhotoFile, 'content'> | undefined>;
  /**
   * Removes files that no photo names and that were stored before `before`: looks at the next `most` names after `after`,
   * and removes at most `atMost`. Of files in a bucket it marks at most as many at `now`, for `forget`; a mark lasts until
   * it is older than `before`.
   */
  removeUnused(
    after: string,
    most: number,
    before: number,
    now: number,
    atMost: number,
  ): Promise<{
    /** The last name that was looked at; undefined after the last one of all. */
    readonly last: string | undefined;
    readonly removed: number;
    readonly marked: readonly string[];
  }>;
  /** Removes the names of files that were marked at `now` and are no longer in their bucket. */
  forget(names: readonly string[], now: number): Promise<void>;
}

/** Takes the photos that requests send, and reads their files. */
export interface PhotoService {
  /**
   * Makes the files of a photo from an upload of this family of keys, and stores them. Throws
   * `unsupported_media_type`, `invalid_request` and `service_unavailable`.
   */
  take(upload: Upload, familyId: bigint): Promise<Omit<NewPhoto, 'alt'>>;
  /** Returns the bytes of a file; undefined if it is not stored. */
  read(name: string): Promise<Blob | undefined>;
}

const WEBP_WIDTHS = { small: 320, medium: 640, large: 1_280 };
const JPEG_WIDTH = 1_280;

/** The names of the files of a photo, by use. Where the photo is narrower, several may be one. */
type PhotoFileNames = Readonly<Record<'small' | 'medium' | 'large' | 'jpeg' | 'full', string>>;

/** Returns the names of the files of a photo. */
export function photoFileNames({ sha256, width }: Pick<Photo, 'sha256' | 'width'>): PhotoFileNames {
  const webp = (most: number) => photoFileName(sha256, Math.min(most, width), 'webp');
  return {
    small: webp(WEBP_WIDTHS.small),
    medium: webp(WEBP_WIDTHS.medium),
    large: webp(WEBP_WIDTHS.large),
    jpeg: photoFileName(sha256, Math.min(JPEG_WIDTH, width), 'jpg'),
    full: photoFileName(sha256, width, 'jpg'),
  };
}

/** Returns the name of a file. */
export function photoFileName(sha256: string, width: number, format: 'jpg' | 'webp'): string {
  return `${sha256}-${width}.${format}`;
}
