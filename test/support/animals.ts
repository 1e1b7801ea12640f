import type { ImportedPet, Pet } from '../../src/domain/pet.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { parseJson } from '../../src/http/json.ts';
import { CHANGE_STAMP } from './change-stamp.ts';
import type { ClientResponse } from './client.ts';

/** What a test says of an animal; the rest is as for any other. */
export type AnimalOptions = Partial<Omit<Pet, 'id'>>;

/** Puts animals straight into the storage, in one transaction, as another process would. */
export async function addAnimals(
  storage: Storage,
  animals: readonly AnimalOptions[],
): Promise<void> {
  const batch = animals.map(
    ({ name = 'Rex', categoryId = 1n, status = 'available' }): ImportedPet => ({
      name,
      category: { id: categoryId },
      status,
      externalId: undefined,
    }),
  );
  await storage.pets.importBatch(batch, CHANGE_STAMP);
}

/** An animal as the interface writes it, to the last byte. */
export function petText({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

/** The ids of a list, in its order. */
export function idsOf(list: ClientResponse): bigint[] {
  return itemsOf(list.text).map((item) => BigInt(item['id'] ?? ''));
}

/** The names of a list, in its order. */
export function namesOf(list: ClientResponse): string[] {
  return itemsOf(list.text).map((item) => item['name'] ?? '');
}

/** The id of the one animal that an answer holds. */
export function idOf(response: ClientResponse): bigint {
  return idsOf({ ...response, text: `[${response.text}]` })[0] ?? 0n;
}

/** The members of each animal as texts. */
function itemsOf(text: string): Record<string, string>[] {
  parseJson(text);
  // The reviver makes a text of every value, so nothing goes through a `number`.
  return JSON.parse(text, (_key, value, context?: { source: string }) =>
    typeof value === 'number' ? context?.source : value,
  );
}

/** The links of a Link field, by relation. */
export function linksOf(response: ClientResponse): Map<string, string> {
  const links = new Map<string, string>();
  for (const [, url = '', rel = ''] of (response.headers.get('link') ?? '').matchAll(
    /<([^>]*)>; rel="([^"]*)"/g,
  )) {
    links.set(rel, url);
  }
  return links;
}

/** The target of a link: path and query without the address. */
export function targetOf(link: string | undefined): string {
  if (link === undefined) throw new Error('there is no such link');
  const { pathname, search } = new URL(link);
  return pathname + search;
}
