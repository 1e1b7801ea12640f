import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { ORDER_STATUSES } from '../../src/domain/order.ts';
import { PET_STATUSES } from '../../src/domain/pet.ts';
import type { ClientResponse } from '../support/client.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { type Outcome, Shop } from './shop.ts';

/** Each run starts the service several times. */
const RUNS = 40;

type Command = fc.AsyncCommand<Shop, TestPetstore>;

/** A request, and the outcome that the model predicts. */
function command(
  name: string,
  predict: (database: Shop) => Outcome,
  send: (petstore: TestPetstore) => Promise<ClientResponse>,
): Command {
  return {
    check: () => true,
    async run(database, petstore) {
      const outcome = predict(database);
      const response = await send(petstore);
      expect({ name, status: response.status }).toEqual({ name, status: outcome.status });
      if (outcome.body !== undefined) expect(JSON.parse(response.text)).toMatchObject(outcome.body);
    },
    toString: () => name,
  };
}

function patch(petstore: TestPetstore, path: string, body: object): Promise<ClientResponse> {
  return petstore.writer.send('PATCH', path, {
    headers: { 'content-type': 'application/merge-patch+json' },
    body: JSON.stringify(body),
  });
}

const id = fc.integer({ min: 1, max: 5 });
const petStatus = fc.constantFrom(...PET_STATUSES);
const orderStatus = fc.constantFrom(...ORDER_STATUSES);
const name = fc.constantFrom('Rex', 'Luna', 'ΣΊΣΥΦΟΣ', 'Straße');
const categoryName = fc.constantFrom('Dog', 'DOG', 'Cat', 'Straße', 'STRASSE');
const piiFields = fc.record({ adopter: name, contact: name, note: name }, { requiredKeys: [] });
const erasable = fc.option(name, { nil: null });
const orderChange = fc.record(
  { status: orderStatus, adopter: erasable, contact: erasable, note: erasable },
  { requiredKeys: [] },
);

const commands = [
  fc.tuple(name, id, petStatus).map(([name, categoryId, status]) =>
    command(
      `createPet(${name}, ${categoryId}, ${status})`,
      (database) => database.createPet(name, categoryId, status),
      ({ writer }) => writer.post('/v1/pets', { name, categoryId, status }),
    ),
  ),
  fc.tuple(id, fc.record({ name, status: petStatus }, { requiredKeys: [] })).map(([id, change]) =>
    command(
      `updatePet(${id}, ${JSON.stringify(change)})`,
      (database) => database.updatePet(id, change),
      (petstore) => patch(petstore, `/v1/pets/${id}`, change),
    ),
  ),
  id.map((id) =>
    command(
      `deletePet(${id})`,
      (database) => database.deletePet(id),
      ({ writer }) => writer.send('DELETE', `/v1/pets/${id}`),
    ),
  ),
  fc.tuple(id, piiFields).map(([petId, pii]) =>
    command(
      `placeOrder(${petId}, ${JSON.stringify(pii)})`,
      (database) => database.placeOrder(petId, pii),
      ({ writer }) => writer.post('/v1/store/orders', { petId, ...pii }),
    ),
  ),
  fc.tuple(id, orderChange).map(([id, change]) =>
    command(
      `updateOrder(${id}, ${JSON.stringify(change)})`,
      (database) => database.updateOrder(id, change),
      (petstore) => patch(petstore, `/v1/store/orders/${id}`, change),
    ),
  ),
  fc.tuple(id, orderStatus).map(([id, status]) =>
    command(
      `moveOrder(${id}, ${status})`,
      (database) => database.updateOrder(id, { status }),
      (petstore) => patch(petstore, `/v1/store/orders/${id}`, { status }),
    ),
  ),
  categoryName.map((name) =>
    command(
      `createCategory(${name})`,
      (database) => database.createCategory(name),
      ({ writer }) => writer.post('/v1/categories', { name }),
    ),
  ),
  fc.tuple(id, categoryName).map(([id, name]) =>
    command(
      `renameCategory(${id}, ${name})`,
      (database) => database.renameCategory(id, name),
      (petstore) => patch(petstore, `/v1/categories/${id}`, { name }),
    ),
  ),
  id.map((id) =>
    command(
      `deleteCategory(${id})`,
      (database) => database.deleteCategory(id),
      ({ writer }) => writer.send('DELETE', `/v1/categories/${id}`),
    ),
  ),
];

/** Compares everything the service shows with the model. */
async function compare(database: Shop, { reader, writer }: TestPetstore): Promise<void> {
  // The model knows no times. `test/storage/conformance/orders.test.ts` has those of each step.
  const withoutSteps = (name: string, value: unknown) =>
    /^(?:approved|completed|cancelled)At$/.test(name) ? undefined : value;
  const all = async (path: string, client = reader) =>
    JSON.parse((await client.get(`${path}?limit=100`)).text, withoutSteps);
  const pets = [...database.pets].map(([id, { history: _, ...pet }]) => ({ id, ...pet }));
  expect(await all('/v1/pets')).toEqual(pets);
  const times = { placedAt: expect.any(String), updatedAt: expect.any(String) };
  const shown = [...database.orders].map(([id, { pii: _, ...order }]) => ({
    id,
    ...order,
    ...times,
  }));
  expect(await all('/v1/store/orders')).toEqual(shown);
  const whole = [...database.orders].map(([id, { pii, ...order }]) => ({
    id,
    ...order,
    ...pii,
    ...times,
  }));
  expect(await all('/v1/store/orders', writer)).toEqual(whole);
  const categories = [...database.categories].map(([id, name]) => ({ id, name }));
  expect(await all('/v1/categories')).toEqual(categories);
  for (const [id, { history }] of database.pets) {
    const lines: {
      subject: { type: string };
      changes: { status?: [string | null, string] };
    }[] = await all(`/v1/pets/${id}/history`);
    const own = lines.filter(({ subject }) => subject.type === 'pet');
    const statuses = own.flatMap(({ changes }) => changes.status?.[1] ?? []);
    expect(statuses).toEqual(history);
  }
}

const compareAll: Command = {
  check: () => true,
  run: compare,
  toString: () => 'compare',
};

const restart: Command = {
  check: () => true,
  run: (_shop, petstore) => petstore.restart(),
  toString: () => 'restart',
};

test('the service never differs from the model, for any requests and restarts', async () => {
  const sequences = fc.commands([...commands, fc.constant(compareAll), fc.constant(restart)], {
    maxCommands: 60,
    size: 'max',
  });
  await fc.assert(
    fc.asyncProperty(sequences, async (sequence) => {
      await using petstore = await startPetstore();
      const database = new Shop();
      await fc.asyncModelRun(() => ({ model: database, real: petstore }), sequence);
      await compare(database, petstore);
    }),
    { numRuns: RUNS },
  );
}, 120_000);
