import { animalAt } from './animals.ts';
import type { WireRequest } from './wire.ts';

/** How many animals the database holds when a run begins. */
export const ANIMALS = 100_000;

/** How many animals a list gives when nobody says how many. */
export const PAGE = 20;
/** The animals asked for one by one: spread over the database, ids of equal length. */
const ASKED = Array.from({ length: 1_000 }, (_, index) => 10_000 + index * 89);

/** What is added, again and again. */
export const ADDED = { name: 'Animal of the bench', categoryId: 7, status: 'available' };

/** One kind of request, and what a right answer to it is. */
export interface Scenario {
  readonly name: 'list' | 'get' | 'create';
  readonly title: string;
  readonly load: Pick<WireRequest, 'method' | 'body'> & { readonly paths: readonly string[] };
  readonly status: number;
  /** Whether the body, as a JSON value, answers the request for this path. */
  isRight(path: string, body: unknown): boolean;
}

/** All of them; the one that changes the database comes last. */
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
    title: `GET /v1/pets/{petId} (${ASKED.length} animals in turn)`,
    load: { method: 'GET', paths: ASKED.map((id) => `/v1/pets/${id}`), body: '' },
    status: 200,
    isRight: (path, body) =>
      Bun.deepEquals(body, animalAt(Number(path.slice(path.lastIndexOf('/') + 1))), true),
  },
  {
    name: 'create',
    title: 'POST /v1/pets (on disk before the answer)',
    load: { method: 'POST', paths: ['/v1/pets'], body: JSON.stringify(ADDED) },
    status: 201,
    isRight: (_, body) => isAdded(body),
  },
];

/** The right answer to the list. */
export const firstPage = Array.from({ length: PAGE }, (_, index) => animalAt(index + 1));

function isAdded(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || !('id' in body)) return false;
  const { id, ...rest } = body;
  return Number.isSafeInteger(id) && Number(id) > ANIMALS && Bun.deepEquals(rest, ADDED, true);
}

/** One of the scenario's requests, the `turn`th of them, as a single one to send. */
export function requestOf(
  { load: { method, paths, body } }: Pick<Scenario, 'load'>,
  authorization: string,
  turn = 0,
): WireRequest {
  const path = paths[turn % paths.length] ?? '/';
  const type = body === '' ? {} : { 'content-type': 'application/json' };
  return { method, path, headers: { authorization, ...type }, body };
}
