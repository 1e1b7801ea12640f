import type { ChangeStamp, Precondition } from './change-stamp.ts';
import type { MaybePromise } from './maybe-promise.ts';

/** The most photos of one animal. */
export const PHOTOS_MAX = 12;
export const ALT_MAX = 500;

/** A point of a photo, in parts of its width and height: 0 to 1. */
export interface Focus {
  readonly x: number;
  readonly y: number;
}

/** A photo to add: the JPEG that is kept of it, which others are made from. */
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
  /** Beyond the last place means the last. The other photos make room. */
  readonly position?: number | undefined;
  readonly focus?: Focus | undefined;
}

/** The storage contract of photos: their records, not the bytes. */
export interface PhotoStorage {
  /** Returns the photos of an animal in order; undefined if the animal does not exist. */
  list(petId: bigint): MaybePromise<readonly Photo[] | undefined>;
  /**
   * Adds a photo at the end; the one that is there already if it is the same. Returns undefined if the
   * animal does not exist. Throws `conflict` if the animal has the most photos it may have.
   */
  add(
    petId: bigint,
    photo: NewPhoto,
    stamp: ChangeStamp,
  ): MaybePromise<{ readonly photo: Photo; readonly isNew: boolean } | undefined>;
  /** Changes a photo. Returns undefined if the animal has no such photo. Throws what the precondition throws. */
  update(
    petId: bigint,
    id: bigint,
    change: PhotoChange,
    stamp: ChangeStamp,
    precondition: Precondition<Photo>,
  ): MaybePromise<Photo | undefined>;
  /** Removes a photo; the later ones move up. Returns whether the animal had it. */
  remove(
    petId: bigint,
    id: bigint,
    stamp: ChangeStamp,
    precondition: Precondition<Photo>,
  ): MaybePromise<boolean>;
  /** Says who may see the files of a photo: `public` if an animal that has it is listed; undefined if none has it. */
  audience(sha256: string): MaybePromise<'public' | 'staff' | undefined>;
}
