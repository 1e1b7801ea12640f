import { animalAt } from './animals.ts';
import type { WireRequest } from './wire.ts';

/** Animals in the database when a run starts. */
export const ANIMALS = 100_000;

/** The default page size of a list. */
export const PAGE = 20;
/** Ids of the animals that are read one by one: spread over the database, equal in length. */
const READ_IDS = Array.from({ length: 1_000 }, (_, index) => 10_000 + index * 89);

/** The animal that every addition sends. */
export const ADDED = { name: 'Animal of the bench', categoryId: 7, status: 'available' };

/** A kind of request, and the check of its responses. */
export interface Scenario {
  readonly name: 'list' | 'get' | 'create';
  readonly title: string;
  readonly load: Pick<WireRequest, 'method' | 'body'> & { readonly paths: readonly string[] };
  readonly status: number;
  /** Checks the parsed body of the response for this path. */
  isRight(path: string, body: unknown): boolean;
}

/** All scenarios; the one that changes the database comes last. */
export const scenarios: readonly Scenario[] = [
  {
    name: 'list',
    title: `GET /v1/pets (${PAGE} animals)`,
    load: { method: 'GET', paths: ['/v1/pets'], body: '' },
    status: 200,
    isRight: (_, body) => Bun.deepEquals(body, firstPage, true),
  },
  {
    name: 'get',
    title: `GET /v1/pets/{petId} (${READ_IDS.length} animals in turn)`,
    load: { method: 'GET', paths: READ_IDS.map((id) => `/v1/pets/${id}`), body: '' },
    status: 200,
    isRight: (path, body) =>
      Bun.deepEquals(body, animalAt(Number(path.slice(path.lastIndexOf('/') + 1))), true),
  },
  {
    name: 'create',
    title: 'POST /v1/pets (on disk before the response)',
    load: { method: 'POST', paths: ['/v1/pets'], body: JSON.stringify(ADDED) },
    status: 201,
    isRight: (_, body) => isAdded(body),
  },
];

/** The correct response to the list. */
export const firstPage = Array.from({ length: PAGE }, (_, index) => animalAt(index + 1));

function isAdded(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('id' in body)) return false;
  const { id, ...rest } = body;
  return Number.isSafeInteger(id) && Number(id) > ANIMALS && Bun.deepEquals(rest, ADDED, true);
}

/** Returns the scenario's `turn`th request. */
export function requestOf(
  { load: { method, paths, body } }: Pick<Scenario, 'load'>,
  authorization: string,
  turn = 0,
): WireRequest {
  const path = paths[turn % paths.length] ?? '/';
  const type = body === '' ? {} : { 'content-type': 'application/json' };
  return { method, path, headers: { authorization, ...type }, body };
}
