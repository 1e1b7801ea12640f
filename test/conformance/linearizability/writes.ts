import { ORDER_STATUSES } from '../../../src/domain/order.ts';
import { type Animal, type Animals, idIn, orderIn, petIn } from './animals.ts';
import { type Answer, type Client, isAnswer, type Reply } from './client.ts';
import type { History, Input, Output, Pet } from './history.ts';

/** What an operation of a client is done with. */
export interface Work {
  readonly client: Client;
  readonly animals: Animals;
  readonly history: History;
}

let made = 0;

function newValues({ random }: Client): Pet {
  made++;
  const status = random.one(['available', 'available', 'available', 'pending', 'sold']) ?? '';
  return { name: `animal ${made}`, categoryId: made, status };
}

/** Adds an animal, every other one under an idempotency key. */
export async function create({ client, animals, history }: Work): Promise<void> {
  const pet = newValues(client);
  const isOnce = client.random.below(2) === 0;
  const asked = isOnce ? client.askOnce('/v1/pets', pet) : client.ask('POST', '/v1/pets', pet);
  const input = { kind: 'create', ...pet } as const;
  const reply = await asked;
  if (reply.status === 'untold') history.noteUnanswered(undefined, reply.times, input);
  if (!isAnswer(reply)) return;
  if (reply.status !== 201) throw new Error(`an animal was refused with ${reply.status}`);
  const id = idIn(reply.json);
  history.note(id, reply.times, input, { status: 201, pet: petIn(reply.json) });
  animals.add(id);
}

/** Notes what became of a change, and gives its answer. */
async function change(
  { animals, history }: Work,
  animal: Animal,
  input: Input,
  asked: Promise<Reply>,
  outputOf: (json: unknown) => Omit<Output, 'status'>,
): Promise<Answer | undefined> {
  const reply = await asked;
  if (reply.status === 'unsent') return undefined;
  if (reply.status === 'untold') history.noteUnanswered(animal.id, reply.times, input);
  animals.use(animal, reply.status === 'untold');
  if (!isAnswer(reply)) return undefined;
  const hasBody = reply.status < 300 && reply.json !== undefined;
  const output = hasBody ? outputOf(reply.json) : {};
  history.note(animal.id, reply.times, input, { status: reply.status, ...output });
  return reply;
}

/** What a client knows of an animal, as a condition of every third change. */
function conditionOf({ random }: Client, animal: Animal) {
  return random.below(3) === 0 ? animal.seen : undefined;
}

/** Changes a name, a category or a status, or several of them. */
export async function update(work: Work, animal: Animal): Promise<void> {
  const { client } = work;
  const { name, categoryId, status } = newValues(client);
  const changes = client.random.one([{ name }, { categoryId }, { status }, { name, status }]) ?? {};
  const seen = conditionOf(client, animal);
  const headers = seen === undefined ? {} : { 'if-match': seen.etag };
  const asked = client.ask('PATCH', `/v1/pets/${animal.id}`, changes, headers);
  const input = { kind: 'change', ...changes, ifMatch: seen?.pet } as const;
  const response = await change(work, animal, input, asked, (json) => ({ pet: petIn(json) }));
  if (response?.status !== 200 || response.etag === null) return;
  animal.seen = { etag: response.etag, pet: petIn(response.json) };
}

export async function remove(work: Work, animal: Animal): Promise<void> {
  const { client, animals } = work;
  const seen = conditionOf(client, animal);
  const headers = seen === undefined ? {} : { 'if-match': seen.etag };
  const asked = client.ask('DELETE', `/v1/pets/${animal.id}`, undefined, headers);
  const input = { kind: 'remove', ifMatch: seen?.pet } as const;
  const response = await change(work, animal, input, asked, () => ({}));
  // Others, who still have it in their hands, go on asking for it.
  if (response?.status === 204) animals.drop(animal);
}

/** Places an order, every other one under an idempotency key. */
export async function place(work: Work, animal: Animal): Promise<void> {
  const { client } = work;
  const path = '/v1/store/orders';
  const body = { petId: animal.id };
  const isOnce = client.random.below(2) === 0;
  const asked = isOnce ? client.askOnce(path, body) : client.ask('POST', path, body);
  const outputOf = (json: unknown) => ({ order: orderIn(json) });
  const response = await change(work, animal, { kind: 'order' }, asked, outputOf);
  if (response?.status === 201) animal.orders.add(idIn(response.json));
}

/** Moves an order of the animal on, whether or not that can be. */
export async function moveOrder(work: Work, animal: Animal): Promise<void> {
  const { client } = work;
  // The last ones are more likely to be open.
  const orderId = client.random.one([...animal.orders].slice(-3));
  const status = client.random.one(ORDER_STATUSES);
  if (orderId === undefined || status === undefined) return;
  const asked = client.ask('PATCH', `/v1/store/orders/${orderId}`, { status });
  const input = { kind: 'move', orderId, status } as const;
  await change(work, animal, input, asked, (json) => ({ order: orderIn(json) }));
}
