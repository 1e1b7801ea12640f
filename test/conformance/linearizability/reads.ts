import { PET_STATUSES } from '../../../src/domain/pet.ts';
import { type Animal, idIn, orderIn, petIn } from './animals.ts';
import { isResponse, type Outcome, type ReceivedResponse } from './client.ts';
import type { Work } from './writes.ts';

/** Reads one animal through the deprecated operation. */
export async function getPet({ client, animals, history }: Work, animal: Animal): Promise<void> {
  const outcome = await client.send('GET', `/v1/pets/${animal.id}`);
  if (!isResponse(outcome)) return;
  const pet = outcome.status === 200 ? petIn(outcome.json) : undefined;
  history.note(animal.id, outcome.times, { kind: 'read' }, { status: outcome.status, pet });
  animals.use(animal, false);
  // A removal with an unknown outcome took effect.
  if (outcome.status === 404) animals.drop(animal);
  if (pet !== undefined && outcome.etag !== null) animal.seen = { etag: outcome.etag, pet };
}

/** Requests a random selection of animals by id, in one list. */
export async function findPets(work: Work): Promise<void> {
  const { client, animals } = work;
  const requested = [...animals.current].filter(() => client.random.below(2) === 0);
  if (requested.length === 0) return;
  const outcome = await client.send(
    'GET',
    `/v1/pets?id=${requested.map(({ id }) => id).join(',')}`,
  );
  if (isResponse(outcome)) notePage(work, outcome, requested, undefined);
}

/** Reads up to three pages of a list, with a random page size and status filter. */
export async function listPets(work: Work): Promise<void> {
  const { client, animals } = work;
  const status = client.random.one([undefined, ...PET_STATUSES]);
  const limit = client.random.one([2, 100]);
  const filter = status === undefined ? '' : `&status=${status}`;
  let target: string | undefined = `/v1/pets?limit=${limit}${filter}`;
  let after = 0;
  for (let pages = 0; pages < 3 && target !== undefined; pages++) {
    const known = [...animals.current];
    const outcome: Outcome = await client.send('GET', target);
    if (!isResponse(outcome) || outcome.status !== 200) return;
    // Animals with higher ids than the last one may be on the next page.
    const isLast = outcome.next === undefined;
    const last = isLast ? Number.POSITIVE_INFINITY : idIn((outcome.json as unknown[]).at(-1));
    const inRange = known.filter(({ id }) => id > after && id <= last);
    notePage(work, outcome, inRange, status);
    after = last;
    target = outcome.next;
  }
}

/**
 * Notes the state of each animal on a page, and the absence of each expected animal. An animal is
 * expected if it was known before the request and its id is in the range of the page.
 */
function notePage(
  { animals, history }: Work,
  { times, status: responseStatus, json }: ReceivedResponse,
  expected: readonly Animal[],
  status: string | undefined,
): void {
  const input = { kind: 'list', status } as const;
  const items = Array.isArray(json) ? json : [];
  const found = new Set<number>();
  for (const item of items) {
    const id = idIn(item);
    // An animal twice on one page is always wrong: no order of operations explains status 0.
    const isRepeated = found.has(id);
    found.add(id);
    const pet = petIn(item);
    if (animals.isForeign(pet) || animals.isRetired(id)) continue;
    const output = { status: isRepeated ? 0 : responseStatus, pet };
    history.note(id, times, input, output);
  }
  for (const animal of expected) {
    if (!found.has(animal.id)) history.note(animal.id, times, input, { status: responseStatus });
    animals.use(animal, false);
  }
}

export async function getOrder({ client, animals, history }: Work, animal: Animal): Promise<void> {
  const orderId = client.random.one([...animal.orders]);
  if (orderId === undefined) return;
  const outcome = await client.send('GET', `/v1/store/orders/${orderId}`);
  if (!isResponse(outcome)) return;
  const order = outcome.status === 200 ? orderIn(outcome.json) : undefined;
  const input = { kind: 'readOrder', orderId } as const;
  history.note(animal.id, outcome.times, input, { status: outcome.status, order });
  animals.use(animal, false);
}

/** Lists all orders of an animal, including those that no response has reported. */
export async function listOrders(
  { client, animals, history }: Work,
  animal: Animal,
): Promise<void> {
  const outcome = await client.send('GET', `/v1/store/orders?limit=100&petId=${animal.id}`);
  if (!isResponse(outcome) || outcome.next !== undefined) return;
  const orders = Array.isArray(outcome.json) ? outcome.json.map(orderIn) : [];
  const output = { status: outcome.status, orders };
  history.note(animal.id, outcome.times, { kind: 'listOrders' }, output);
  animals.use(animal, false);
  for (const { id } of orders) animal.orders.add(id);
}
