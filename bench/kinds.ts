import { animalAt, type BenchAnimal } from './animals.ts';
import type { WireRequest } from './wire.ts';

/** Animals in the database when a run starts. */
export const ANIMALS = 100_000;
/** The default page size of a list. */
export const PAGE = 20;
/** The animal that every addition sends. */
export const ADDED = { name: 'Animal of the bench', categoryId: 7, status: 'available' };

/** Few enough animals that all their responses stay in the cache. */
const CACHED_ANIMALS = 1_000;
/**
 * Coprime to the number of animals, so that steps of this length visit each animal once before the
 * first one again, and neighbours in the database far apart in time.
 */
const STEP = 38_197;

/** A kind of request, and the check of its responses. */
export interface Kind {
  readonly name: 'list' | 'get' | 'create' | 'page';
  /** The paths are requested in turn. */
  readonly load: Pick<WireRequest, 'method' | 'body'> & { readonly paths: readonly string[] };
  readonly status: number;
  /** Checks the body of the response for this path: parsed if it is JSON, else the text. */
  isRight(path: string, body: unknown): boolean;
}

/** Lists at these paths. A `cursor` in them is the id of the animal before the page. */
export function listsAt(paths: readonly string[]): Kind {
  return {
    name: 'list',
    load: { method: 'GET', paths, body: '' },
    status: 200,
    isRight: (path, body) => Bun.deepEquals(body, pageAt(path), true),
  };
}

/** The first page of all animals. */
export const firstPageOnly = listsAt(['/v1/pets']);

/** Single animals, so few that their responses are cached: spread over the database, equal in length. */
export const cachedAnimals = animalsAt(
  Array.from({ length: CACHED_ANIMALS }, (_, index) => 10_000 + index * 89),
);

/** All animals, each of them once before any is requested again. */
export const everyAnimal = animalsAt(
  Array.from({ length: ANIMALS }, (_, index) => 1 + ((index * STEP) % ANIMALS)),
);

/** Additions, on disk before the response. */
export const additions: Kind = {
  name: 'create',
  load: { method: 'POST', paths: ['/v1/pets'], body: JSON.stringify(ADDED) },
  status: 201,
  isRight: (_, body) => isAdded(body),
};

function animalsAt(ids: readonly number[]): Kind {
  return {
    name: 'get',
    load: { method: 'GET', paths: ids.map((id) => `/v1/pets/${id}`), body: '' },
    status: 200,
    isRight: (path, body) =>
      Bun.deepEquals(body, animalAt(Number(path.slice(path.lastIndexOf('/') + 1))), true),
  };
}

/** Returns the animals on the page at a path of `listsAt`. */
export function pageAt(path: string): BenchAnimal[] {
  const query = new URLSearchParams(path.split('?')[1]);
  const status = query.get('status');
  const category = query.get('categoryId');
  const page: BenchAnimal[] = [];
  for (let id = Number(query.get('cursor') ?? 0) + 1; page.length < PAGE && id <= ANIMALS; id++) {
    const animal = animalAt(id);
    if (status !== null && animal.status !== status) continue;
    if (category !== null && animal.categoryId !== Number(category)) continue;
    page.push(animal);
  }
  return page;
}

function isAdded(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('id' in body)) return false;
  const { id, ...rest } = body;
  return Number.isSafeInteger(id) && Number(id) > ANIMALS && Bun.deepEquals(rest, ADDED, true);
}

/** Returns the kind's `turn`th request. */
export function requestOf(
  { load: { method, paths, body } }: Pick<Kind, 'load'>,
  authorization: string,
  turn = 0,
): WireRequest {
  const path = paths[turn % paths.length] ?? '/';
  const type = body === '' ? {} : { 'content-type': 'application/json' };
  // Public pages are charged to an address, which may see 300 a minute, so they come from many.
  const from = path.startsWith('/adopt') ? { 'x-forwarded-for': `10.9.${turn % 250}.1` } : {};
  return { method, path, headers: { authorization, ...type, ...from }, body };
}

/** Returns the body as `isRight` takes it. */
export function contentOf(text: string): unknown {
  return text.startsWith('<') ? text : JSON.parse(text);
}
