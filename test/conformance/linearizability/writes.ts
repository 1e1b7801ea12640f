import { ORDER_STATUSES } from '../../../src/domain/order.ts';
import { type Animal, type Animals, idIn, newCategory, orderIn, petIn } from './animals.ts';
import { type Client, isResponse, type Outcome, type ReceivedResponse } from './client.ts';
import type { History, Input, Output, Pet } from './history.ts';

/** The context of a client's operation. */
export interface Work {
  readonly client: Client;
  readonly animals: Animals;
  readonly history: History;
}

function newValues({ random }: Client): Pet {
  const categoryId = newCategory();
  const status = random.one(['available', 'available', 'available', 'pending', 'sold']) ?? '';
  return { name: `animal ${-categoryId}`, categoryId, status };
}

/** Adds an animal, every other one under an idempotency key. */
export async function create({ client, animals, history }: Work): Promise<void> {
  const pet = newValues(client);
  const isOnce = client.random.below(2) === 0;
  const sent = isOnce ? client.sendOnce('/v1/pets', pet) : client.send('POST', '/v1/pets', pet);
  const input = { kind: 'create', ...pet } as const;
  const outcome = await sent;
  if (outcome.status === 'unknown') history.noteUnknown(undefined, outcome.times, input);
  if (!isResponse(outcome)) return;
  if (outcome.status !== 201) throw new Error(`creating an animal failed with ${outcome.status}`);
  const id = idIn(outcome.json);
  history.note(id, outcome.times, input, { status: 201, pet: petIn(outcome.json) });
  animals.add(id);
}

/** Notes the outcome of a change and returns its response, if one came. */
async function change(
  { animals, history }: Work,
  animal: Animal,
  input: Input,
  sent: Promise<Outcome>,
  outputOf: (json: unknown) => Omit<Output, 'status'>,
): Promise<ReceivedResponse | undefined> {
  const outcome = await sent;
  if (outcome.status === 'unsent') return undefined;
  if (outcome.status === 'unknown') history.noteUnknown(animal.id, outcome.times, input);
  animals.use(animal, outcome.status === 'unknown');
  if (!isResponse(outcome)) return undefined;
  const hasBody = outcome.status < 300 && outcome.json !== undefined;
  const output = hasBody ? outputOf(outcome.json) : {};
  history.note(animal.id, outcome.times, input, { status: outcome.status, ...output });
  return outcome;
}

/** Every third change is conditional on the state that a client last read. */
function conditionOf({ random }: Client, animal: Animal) {
  return random.below(3) === 0 ? animal.seen : undefined;
}

/** Changes the name, the category, the status, or the name and the status. */
export async function update(work: Work, animal: Animal): Promise<void> {
  const { client } = work;
  const { name, categoryId, status } = newValues(client);
  const changes = client.random.one([{ name }, { categoryId }, { status }, { name, status }]) ?? {};
  const seen = conditionOf(client, animal);
  const headers = seen === undefined ? {} : { 'if-match': seen.etag };
  const sent = client.send('PATCH', `/v1/pets/${animal.id}`, changes, headers);
  const input = { kind: 'change', ...changes, ifMatch: seen?.pet } as const;
  const response = await change(work, animal, input, sent, (json) => ({ pet: petIn(json) }));
  if (response?.status !== 200 || response.etag === null) return;
  animal.seen = { etag: response.etag, pet: petIn(response.json) };
}

export async function remove(work: Work, animal: Animal): Promise<void> {
  const { client, animals } = work;
  const seen = conditionOf(client, animal);
  const headers = seen === undefined ? {} : { 'if-match': seen.etag };
  const sent = client.send('DELETE', `/v1/pets/${animal.id}`, undefined, headers);
  const input = { kind: 'remove', ifMatch: seen?.pet } as const;
  const response = await change(work, animal, input, sent, () => ({}));
  // Other clients that have already picked it still send requests for it.
  if (response?.status === 204) animals.drop(animal);
}

/** Places an order, every other one under an idempotency key. */
export async function place(work: Work, animal: Animal): Promise<void> {
  const { client } = work;
  const path = '/v1/store/orders';
  const body = { petId: animal.id };
  const isOnce = client.random.below(2) === 0;
  const sent = isOnce ? client.sendOnce(path, body) : client.send('POST', path, body);
  const outputOf = (json: unknown) => ({ order: orderIn(json) });
  const response = await change(work, animal, { kind: 'order' }, sent, outputOf);
  if (response?.status === 201) animal.orders.add(idIn(response.json));
}

/** Moves an order of the animal to a random status, which may be refused. */
export async function moveOrder(work: Work, animal: Animal): Promise<void> {
  const { client } = work;
  // The latest orders are the most likely to be open.
  const orderId = client.random.one([...animal.orders].slice(-3));
  const status = client.random.one(ORDER_STATUSES);
  if (orderId === undefined || status === undefined) return;
  const sent = client.send('PATCH', `/v1/store/orders/${orderId}`, { status });
  const input = { kind: 'move', orderId, status } as const;
  await change(work, animal, input, sent, (json) => ({ order: orderIn(json) }));
}
