import { PET_STATUSES } from '../../../src/domain/pet.ts';
import { type Animal, idIn, orderIn, petIn } from './animals.ts';
import { type Answer, isAnswer, type Reply } from './client.ts';
import type { Work } from './writes.ts';

/** Asks for one animal by the deprecated operation. */
export async function getPet({ client, animals, history }: Work, animal: Animal): Promise<void> {
  const reply = await client.ask('GET', `/v1/pets/${animal.id}`);
  if (!isAnswer(reply)) return;
  const pet = reply.status === 200 ? petIn(reply.json) : undefined;
  history.note(animal.id, reply.times, { kind: 'read' }, { status: reply.status, pet });
  animals.use(animal, false);
  // Removed without an answer.
  if (reply.status === 404) animals.drop(animal);
  if (pet !== undefined && reply.etag !== null) animal.seen = { etag: reply.etag, pet };
}

/** Asks for some animals by their ids, in one list. */
export async function findPets(work: Work): Promise<void> {
  const { client, animals } = work;
  const asked = [...animals.current].filter(() => client.random.below(2) === 0);
  if (asked.length === 0) return;
  const reply = await client.ask('GET', `/v1/pets?id=${asked.map(({ id }) => id).join(',')}`);
  if (isAnswer(reply)) notePage(work, reply, asked, undefined);
}

/** Walks a list, of one status or of all, some pages of some size. */
export async function listPets(work: Work): Promise<void> {
  const { client, animals } = work;
  const status = client.random.one([undefined, ...PET_STATUSES]);
  const limit = client.random.one([2, 100]);
  const filter = status === undefined ? '' : `&status=${status}`;
  let target: string | undefined = `/v1/pets?limit=${limit}${filter}`;
  let after = 0;
  for (let pages = 0; pages < 3 && target !== undefined; pages++) {
    const known = [...animals.current];
    const reply: Reply = await client.ask('GET', target);
    if (!isAnswer(reply) || reply.status !== 200) return;
    // What lies beyond the last animal of a page may be on the next one.
    const isLast = reply.next === undefined;
    const last = isLast ? Number.POSITIVE_INFINITY : idIn((reply.json as unknown[]).at(-1));
    const inRange = known.filter(({ id }) => id > after && id <= last);
    notePage(work, reply, inRange, status);
    after = last;
    target = reply.next;
  }
}

/**
 * Notes what a page says: of each animal in it how that is, and of each that was there before the
 * request, and would stand here, that it does not.
 */
function notePage(
  { animals, history }: Work,
  { times, status: response, json }: Answer,
  expected: readonly Animal[],
  status: string | undefined,
): void {
  const input = { kind: 'list', status } as const;
  const items = Array.isArray(json) ? json : [];
  const found = new Set<number>();
  for (const item of items) {
    const id = idIn(item);
    // Twice on one page is as wrong as can be, and 0 is no answer that any order explains.
    const isRepeated = found.has(id);
    found.add(id);
    if (animals.isLeft(id)) continue;
    const output = { status: isRepeated ? 0 : response, pet: petIn(item) };
    history.note(id, times, input, output);
  }
  for (const animal of expected) {
    if (!found.has(animal.id)) history.note(animal.id, times, input, { status: response });
    animals.use(animal, false);
  }
}

export async function getOrder({ client, animals, history }: Work, animal: Animal): Promise<void> {
  const orderId = client.random.one([...animal.orders]);
  if (orderId === undefined) return;
  const reply = await client.ask('GET', `/v1/store/orders/${orderId}`);
  if (!isAnswer(reply)) return;
  const order = reply.status === 200 ? orderIn(reply.json) : undefined;
  const input = { kind: 'readOrder', orderId } as const;
  history.note(animal.id, reply.times, input, { status: reply.status, order });
  animals.use(animal, false);
}

/** Lists all orders of an animal, also those of which nobody was told. */
export async function listOrders(
  { client, animals, history }: Work,
  animal: Animal,
): Promise<void> {
  const reply = await client.ask('GET', `/v1/store/orders?limit=100&petId=${animal.id}`);
  if (!isAnswer(reply) || reply.next !== undefined) return;
  const orders = Array.isArray(reply.json) ? reply.json.map(orderIn) : [];
  const output = { status: reply.status, orders };
  history.note(animal.id, reply.times, { kind: 'listOrders' }, output);
  animals.use(animal, false);
  for (const { id } of orders) animal.orders.add(id);
}
