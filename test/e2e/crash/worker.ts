import type { OrderStatus } from '../../../src/domain/order.ts';
import type { Client, ClientResponse } from '../../support/client.ts';
import {
  type Animal,
  type AnimalState,
  type Category,
  isOpen,
  type Ledger,
  NO_ANIMAL,
  NO_CATEGORY,
  noteId,
  type Repeatable,
  type Tracked,
} from './ledger.ts';
import type { Random } from './random.ts';

/** Number of its latest animals that a worker changes. */
const OWN_ANIMALS = 6;

const NEXT: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: ['approved', 'cancelled'],
  approved: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};
const PET_UNDER = {
  placed: 'pending',
  approved: 'pending',
  completed: 'sold',
  cancelled: 'available',
} as const;

/** One of several concurrent writers, each with its own records. */
export interface Worker {
  readonly name: string;
  readonly client: Client;
  readonly ledger: Ledger;
  readonly random: Random;
  /** True once the server has been killed or has run long enough. */
  shouldStop(): boolean;
  /** Decides what a failed request means. May wait, which pauses the worker. */
  classify(response: ClientResponse | undefined): Promise<Verdict>;
}

/**
 * The meaning of a missing or unexpected response: the request changed nothing, may have changed
 * something, or must not fail like this.
 */
export type Verdict = 'unchanged' | 'in doubt' | 'wrong';

let made = 0;

/** Writes without a pause until it should stop. Leaves records in doubt untouched. */
export async function work(worker: Worker): Promise<void> {
  const animals: Animal[] = [];
  const categories: Category[] = [];
  const orderIds = new Map<Animal, number>();
  while (!worker.shouldStop()) {
    const animal = worker.random.one(certain(animals.slice(-OWN_ANIMALS)));
    const category = worker.random.one(certain(categories.slice(-2)));
    const choice = worker.random.below(10);
    if (animal === undefined || choice < 2) animals.push(await addAnimal(worker));
    else if (choice === 2) await writeCategory(worker, categories, category);
    else if (animal.state.status === 'absent') continue;
    else if (choice < 6) await order(worker, animal, orderIds);
    else await change(worker, animal, choice);
  }
}

function certain<State>(things: readonly Tracked<State>[]): Tracked<State>[] {
  return things.filter(({ doubt }) => doubt === undefined);
}

/** Sends a write that changes a record to `next`. Returns undefined unless it succeeds. */
async function sendWrite<State>(
  worker: Worker,
  thing: Tracked<State>,
  next: State,
  status: number,
  send: () => Promise<ClientResponse>,
): Promise<ClientResponse | undefined> {
  thing.doubt = next;
  worker.ledger.requests++;
  let response: ClientResponse | undefined;
  let problem: unknown;
  try {
    response = await send();
    problem = `${response.status} instead of ${status}: ${response.text}`;
  } catch (error) {
    problem = error;
  }
  if (response?.status !== status) {
    noteFailure(worker, thing, problem, await worker.classify(response));
    return undefined;
  }
  thing.state = next;
  thing.doubt = undefined;
  return response;
}

function noteFailure<State>(
  { ledger }: Worker,
  thing: Tracked<State>,
  problem: unknown,
  verdict: Verdict,
): void {
  if (verdict === 'wrong') ledger.problems.push(`${thing.name}: ${problem}`);
  if (verdict === 'unchanged') {
    ledger.refused++;
    thing.doubt = undefined;
    thing.repeat = undefined;
  } else ledger.unanswered++;
}

/** Sends a POST, half the time with an Idempotency-Key; returns the id in the response. */
async function post<State>(
  worker: Worker,
  thing: Tracked<State>,
  next: State,
  path: string,
  body: object,
): Promise<number | undefined> {
  const { client, ledger, random } = worker;
  const text = JSON.stringify(body);
  const keyed = random.below(2) === 0;
  const repeat: Repeatable = { path, body: text, key: `${worker.name}-${++made}` };
  if (keyed) thing.repeat = repeat;
  const headers = keyed ? { 'idempotency-key': repeat.key } : {};
  const response = await sendWrite(worker, thing, next, 201, () =>
    client.post(path, text, headers),
  );
  if (response === undefined) return undefined;
  thing.repeat = undefined;
  if (keyed) ledger.acknowledged.push({ ...repeat, text: response.text });
  const { id } = JSON.parse(response.text);
  noteId(ledger, path, id);
  return id;
}

function tracked<State>(worker: Worker, state: State): Tracked<State> {
  const name = `${worker.name} ${++made}`;
  return { name, id: undefined, state, doubt: undefined, repeat: undefined };
}

async function addAnimal(worker: Worker): Promise<Animal> {
  const animal = tracked<AnimalState>(worker, NO_ANIMAL);
  worker.ledger.animals.push(animal);
  const next = { status: 'available', categoryId: 1_000_000, orders: [] } as const;
  const body = { name: animal.name, categoryId: next.categoryId };
  animal.id = await post(worker, animal, next, '/v1/pets', body);
  return animal;
}

/** Changes or removes an animal, as its order allows. */
async function change(worker: Worker, animal: Animal, choice: number): Promise<void> {
  const { client, random } = worker;
  const { state } = animal;
  const path = `/v1/pets/${animal.id}`;
  const held = isOpen(state.orders.at(-1));
  if (choice === 9 && !held) {
    const gone = { ...NO_ANIMAL, orders: state.orders };
    await sendWrite(worker, animal, gone, 204, () => client.delete(path));
    return;
  }
  const categoryId = state.categoryId + 1;
  const status = held ? state.status : (random.one(['available', 'sold'] as const) ?? 'sold');
  const next = { ...state, status, categoryId };
  await sendWrite(worker, animal, next, 200, () => client.patch(path, { status, categoryId }));
}

/** Places an order for an animal, or moves the one that holds it. */
async function order(worker: Worker, animal: Animal, ids: Map<Animal, number>): Promise<void> {
  const { client, random } = worker;
  const { state } = animal;
  const last = state.orders.at(-1);
  if (last !== undefined && isOpen(last)) {
    const to = random.one(NEXT[last]) ?? 'cancelled';
    const orders = [...state.orders.slice(0, -1), to];
    const next = { ...state, status: PET_UNDER[to], orders };
    const path = `/v1/store/orders/${ids.get(animal)}`;
    await sendWrite(worker, animal, next, 200, () => client.patch(path, { status: to }));
  } else if (state.status === 'available') {
    const orders = [...state.orders, 'placed'] as const;
    const next = { ...state, status: 'pending', orders } as const;
    const id = await post(worker, animal, next, '/v1/store/orders', { petId: animal.id });
    if (id !== undefined) ids.set(animal, id);
  }
}

async function writeCategory(
  worker: Worker,
  categories: Category[],
  known: Category | undefined,
): Promise<void> {
  const { client, ledger, random } = worker;
  if (known?.state.name === undefined || random.below(2) === 0) {
    const category = tracked<{ readonly name: string | undefined }>(worker, NO_CATEGORY);
    categories.push(category);
    ledger.categories.push(category);
    const { name } = category;
    category.id = await post(worker, category, { name }, '/v1/categories', { name });
    return;
  }
  const path = `/v1/categories/${known.id}`;
  if (random.below(2) === 0) {
    await sendWrite(worker, known, NO_CATEGORY, 204, () => client.delete(path));
  } else {
    const name = `${known.name} again ${++made}`;
    await sendWrite(worker, known, { name }, 200, () => client.patch(path, { name }));
  }
}
