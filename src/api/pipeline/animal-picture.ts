import { isInt64 } from '../../domain/int64.ts';
import { type PhotoStorage, photoFileNames } from '../../domain/photo.ts';
import type { ProfileStorage } from '../../domain/profile.ts';
import { representationFor } from '../../http/representation.ts';
import { entityTag, type HttpResponse } from '../../http/response.ts';
import { drawingOf } from '../../photos/drawings.ts';

const ANIMAL = /^\/photos\/animals\/(-?\d{1,19})$/;

/** Where the pictures come from. */
export interface AnimalPictureParts {
  readonly photos: Pick<PhotoStorage, 'list'>;
  readonly profiles: Pick<ProfileStorage, 'find'>;
}

/** Returns the id of the animal whose picture is at a path. */
export function pictureAt(path: string): bigint | undefined {
  const [, text] = ANIMAL.exec(path) ?? [];
  if (text === undefined) return undefined;
  const id = BigInt(text);
  return isInt64(id) ? id : undefined;
}

/**
 * Returns the small picture of an animal for lists: its first photo, or else a drawing of its species.
 * A list of animals has neither, and a request for each of them would use up the quota of who looks at it.
 */
export async function animalPicture(
  id: bigint,
  { method, headers: asked }: Pick<Request, 'method' | 'headers'>,
  { photos, profiles }: AnimalPictureParts,
): Promise<HttpResponse> {
  const [first] = (await photos.list(id)) ?? [];
  const headers = { 'cache-control': 'private, no-cache' };
  if (first !== undefined) {
    const location = `/photos/${photoFileNames(first).small}`;
    return { status: 302, body: null, headers: { ...headers, location } };
  }
  // A list may still show an animal that somebody has just removed, and browsers report what is missing.
  const body = drawingOf((await profiles.find(id))?.species ?? null);
  const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox";
  const shown = {
    ...headers,
    'content-type': 'image/svg+xml',
    'content-security-policy': policy,
    etag: entityTag(body),
  };
  return representationFor({ status: 200, body, headers: shown }, method, asked);
}
