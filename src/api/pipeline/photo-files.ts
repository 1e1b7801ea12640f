import type { Identify } from '../../auth/authenticate.ts';
import type { Limiter } from '../../domain/allowance.ts';
import { mayUse } from '../../domain/api-key.ts';
import type { Clock } from '../../domain/clock.ts';
import { Failure, methodNotAllowed, routeNotFound } from '../../domain/failure.ts';
import { isInt64 } from '../../domain/int64.ts';
import { type PhotoService, type PhotoStorage, photoFileNames } from '../../domain/photo.ts';
import type { ProfileStorage } from '../../domain/profile.ts';
import type { ClientAddresses } from '../../http/client-address.ts';
import { entityTag, type HttpResponse, unlessKnown } from '../../http/response.ts';
import { drawingOf } from '../../photos/drawings.ts';
import { chargeFile } from './public-pages.ts';
import type { ApplyRateLimit } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';

const ANIMAL = /^\/photos\/animals\/(-?\d{1,19})$/;
const FILE = /^\/photos\/(([0-9a-f]{64})-[1-9][0-9]{0,3}\.(?:webp|jpg))$/;
const READABLE = ['GET', 'HEAD'];
/** Browsers send this request by themselves. */
const BACKGROUND = { background: true };

/** Headers of every file. It may be shown by any page, but is never a page itself. */
const SHOWN = {
  'cross-origin-resource-policy': 'cross-origin',
  'content-security-policy': "default-src 'none'; sandbox",
};

/** Where the pictures come from. */
interface AnimalPictureParts {
  readonly photos: Pick<PhotoStorage, 'list'>;
  readonly profiles: Pick<ProfileStorage, 'find'>;
}

/** The dependencies of the files. */
export interface PhotoFileParts {
  readonly photos: Pick<PhotoService, 'read'>;
  readonly limiter: Limiter;
  readonly clock: Clock;
  readonly storage: AnimalPictureParts & { readonly photos: Pick<PhotoStorage, 'audience'> };
}

/** Returns whether a path is where the files of photos are. */
export function isPhotoPath(path: string): boolean {
  return path.startsWith('/photos/');
}

/**
 * Creates the responses with the files of photos: to anybody for animals that are listed, otherwise
 * only to who may read animals, by key or as signed in to the console. Nothing is remembered, so a file
 * is gone for all new visitors as soon as its photo is, or the animal is no longer listed. A wrong key is
 * charged to the address, and each file as a tenth of a page.
 */
export function createPhotoFiles(
  { photos, storage, limiter, clock }: PhotoFileParts,
  addresses: Pick<ClientAddresses, 'addressOf'>,
  identify: Identify,
  applyRateLimit: ApplyRateLimit,
): (context: RequestContext) => Promise<HttpResponse> {
  async function mayRead(context: RequestContext): Promise<boolean> {
    const { request, method } = context;
    const identity = await identify({ request, method, operation: BACKGROUND });
    if (!(identity instanceof Failure)) return mayUse(identity, 'read');
    if (identity.code !== 'missing_api_key') await applyRateLimit(context, undefined, false);
    return false;
  }

  return async (context) => {
    const { method, request, target } = context;
    const path = target.path ?? '';
    const animal = pictureAt(path);
    if (animal !== undefined) {
      if (!READABLE.includes(method)) throw methodNotAllowed(method, READABLE);
      if (!(await mayRead(context))) throw routeNotFound();
      return animalPicture(animal, request, storage);
    }
    const [, name, sha256] = FILE.exec(path) ?? [];
    if (name === undefined || sha256 === undefined) throw routeNotFound();
    if (!READABLE.includes(method)) throw methodNotAllowed(method, READABLE);
    await chargeFile(limiter, addresses.addressOf(request), clock.now());
    const audience = await storage.photos.audience(sha256);
    if (audience === undefined || (audience === 'staff' && !(await mayRead(context)))) {
      throw routeNotFound();
    }
    const scope = audience === 'public' ? 'public' : 'private';
    const etag = `"${name}"`;
    const headers = { ...SHOWN, etag, 'cache-control': `${scope}, max-age=31536000, immutable` };
    const known = unlessKnown(request, { status: 200, body: null, headers });
    if (known.status === 304) return known;
    const body = await photos.read(name);
    if (body === undefined) throw routeNotFound();
    return { status: 200, body, headers: { ...headers, 'content-type': body.type } };
  };
}

/** Returns the id of the animal whose picture is at a path. */
function pictureAt(path: string): bigint | undefined {
  const [, text] = ANIMAL.exec(path) ?? [];
  if (text === undefined) return undefined;
  const id = BigInt(text);
  return isInt64(id) ? id : undefined;
}

/**
 * Returns the small picture of an animal for lists: its first photo, or else a drawing of its species. Lists of
 * animals have neither. Asking the interface for each animal would use up the quota of whoever looks at a list.
 */
async function animalPicture(
  id: bigint,
  request: Request,
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
  return unlessKnown(request, { status: 200, body, headers: shown });
}
