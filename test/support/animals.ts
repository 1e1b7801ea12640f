import type { ImportedPet, Pet } from '../../src/domain/pet.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { parseJson } from '../../src/http/json.ts';
import { CHANGE_STAMP } from './change-stamp.ts';
import type { ClientResponse } from './client.ts';

/** The members of an animal that a test sets; the rest have defaults. */
export type AnimalOptions = Partial<Omit<Pet, 'id'>>;

/** Adds animals directly to the storage, in one transaction, as another process would. */
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

/** An animal as the interface writes it, byte for byte. */
export function petText({ id, name, categoryId, status }: Pet): string {
  return `{"id":${id},"name":${JSON.stringify(name)},"categoryId":${categoryId},"status":"${status}"}`;
}

/** The ids in a list, in order. */
export function idsOf(list: ClientResponse): bigint[] {
  return itemsOf(list.text).map((item) => BigInt(item['id'] ?? ''));
}

/** The names in a list, in order. */
export function namesOf(list: ClientResponse): string[] {
  return itemsOf(list.text).map((item) => item['name'] ?? '');
}

/** The id of the record in a response. */
export function idOf(response: ClientResponse): bigint {
  return idsOf({ ...response, text: `[${response.text}]` })[0] ?? 0n;
}

/** The members of each animal as texts. */
function itemsOf(text: string): Record<string, string>[] {
  parseJson(text);
  // The reviver turns every value into a text, so no id passes through a `number`.
  return JSON.parse(text, (_key, value, context?: { source: string }) =>
    typeof value === 'number' ? context?.source : value,
  );
}

/** The links of a Link header, by relation. */
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
  if (link === undefined) throw new Error('the link is missing');
  const { pathname, search } = new URL(link);
  return pathname + search;
}
