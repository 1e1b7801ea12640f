import { Database } from 'bun:sqlite';
import type { OrderStatus } from '../../../src/domain/order.ts';
import type { PetStatus } from '../../../src/domain/pet.ts';
import { linksOf, targetOf } from '../../support/animals.ts';
import type { Client } from '../../support/client.ts';
import { type Ledger, NO_ANIMAL, noteId, type Repeatable, settle, type Tracked } from './ledger.ts';

interface ListedPet {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: PetStatus;
}
interface ListedOrder {
  readonly id: number;
  readonly petId: number;
  readonly status: OrderStatus;
}
interface ListedCategory {
  readonly id: number;
  readonly name: string;
}

/** Number of recent responses checked by replaying their requests. */
const REPLAYED_MAX = 40;

/** Compares the service after a restart with the responses that its clients received. */
export async function audit(ledger: Ledger, client: Client): Promise<void> {
  await retryInDoubt(ledger, client);
  const pets = await listAll<ListedPet>(client, '/v1/pets');
  const orders = await listAll<ListedOrder>(client, '/v1/store/orders');
  auditAnimals(
    ledger,
    pets.filter(({ categoryId }) => categoryId >= 0),
    Map.groupBy(orders, ({ petId }) => petId),
  );
  auditCategories(ledger, await listAll<ListedCategory>(client, '/v1/categories'));
  // Replays must return the first response.
  for (const { path, body, key, text } of ledger.acknowledged.splice(0).slice(-REPLAYED_MAX)) {
    const again = await client.post(path, body, { 'idempotency-key': key });
    if (again.text !== text || again.headers.get('idempotent-replayed') !== 'true') {
      ledger.problems.push(`${key} first returned ${text}, now ${again.text}`);
    }
  }
}

/**
 * Invariants of any database. Each query returns the rows that break its rule. Animals in negative categories
 * belong to the clients of test/conformance/linearizability, which also set the status `pending` without an order.
 */
const RULES = {
  'an order and its pet disagree': `SELECT id, status FROM pets WHERE category_id >= 0 AND (status = 'pending') <> EXISTS (
     SELECT 1 FROM orders WHERE pet_id = pets.id AND status IN ('placed', 'approved'))`,
};

/** Further invariants of a SQLite file. */
const FILE_RULES = {
  'integrity_check reports': "SELECT * FROM pragma_integrity_check WHERE integrity_check <> 'ok'",
  'an idempotent result without its record': `SELECT idempotency_key FROM idempotent_results
     WHERE body ->> 'id' > (
       SELECT seq FROM sqlite_sequence WHERE name = CASE operation
         WHEN 'createPet' THEN 'pets' WHEN 'placeOrder' THEN 'orders' ELSE 'categories' END)`,
};

/** Checks the invariants of a database; `select` runs a query on it. */
export async function auditRecords(
  ledger: Ledger,
  select: (sql: string) => Promise<readonly unknown[]>,
): Promise<void> {
  for (const [rule, sql] of Object.entries(RULES)) noteRows(ledger, rule, await select(sql));
}

/** Checks the invariants of a SQLite file, including its integrity. */
export async function auditFile(ledger: Ledger, path: string): Promise<void> {
  using database = new Database(path, { readonly: true });
  const select = async (sql: string) => database.query(sql).all();
  for (const [rule, sql] of Object.entries(FILE_RULES)) noteRows(ledger, rule, await select(sql));
  await auditRecords(ledger, select);
}

function noteRows(ledger: Ledger, rule: string, rows: readonly unknown[]): void {
  if (rows.length > 0) ledger.problems.push(`${rule}: ${Bun.inspect(rows)}`);
}

async function listAll<T>(client: Client, path: string): Promise<T[]> {
  const items: T[] = [];
  let target: string | undefined = `${path}?limit=100`;
  while (target !== undefined) {
    const page = await client.get(target);
    items.push(...JSON.parse(page.text));
    const next = linksOf(page).get('next');
    target = next === undefined ? undefined : targetOf(next);
  }
  return items;
}

function auditAnimals(
  ledger: Ledger,
  pets: readonly ListedPet[],
  ordersOf: ReadonlyMap<number, readonly ListedOrder[]>,
): void {
  const byName = byUniqueName(ledger, pets);
  for (const animal of ledger.animals) {
    const pet = byName.get(animal.name);
    byName.delete(animal.name);
    checkId(ledger, '/v1/pets', animal, pet?.id);
    const orders = (ordersOf.get(animal.id ?? 0) ?? []).map(({ status }) => status);
    const { status, categoryId } = pet ?? NO_ANIMAL;
    settle(ledger, animal, { status, categoryId, orders });
  }
  for (const name of byName.keys()) ledger.problems.push(`no client created the animal ${name}`);
}

function auditCategories(ledger: Ledger, categories: readonly ListedCategory[]): void {
  const byName = byUniqueName(ledger, categories);
  const byId = new Map(categories.map((category) => [category.id, category]));
  for (const category of ledger.categories) {
    const found = category.id === undefined ? byName.get(category.name) : byId.get(category.id);
    byName.delete(found?.name ?? '');
    checkId(ledger, '/v1/categories', category, found?.id);
    settle(ledger, category, { name: found?.name });
  }
  for (const name of byName.keys()) ledger.problems.push(`no client created the category ${name}`);
}

function byUniqueName<T extends { readonly name: string }>(
  ledger: Ledger,
  items: readonly T[],
): Map<string, T> {
  const byName = new Map(items.map((item) => [item.name, item]));
  if (byName.size < items.length) ledger.problems.push('a record exists twice');
  return byName;
}

/** Records the id of something whose creation got no response. */
function checkId<S>(ledger: Ledger, path: string, thing: Tracked<S>, found?: number): void {
  if (found === undefined || found === thing.id) return;
  if (thing.id !== undefined) ledger.problems.push(`the id of ${thing.name} changed`);
  thing.id = found;
  noteId(ledger, path, found);
}

/** Retries requests with a key that got no response: each must take effect exactly once. */
async function retryInDoubt(ledger: Ledger, client: Client): Promise<void> {
  const before = await listedIds(client);
  const retry = createRetry(ledger, client, before);
  for (const animal of ledger.animals) markCertain(animal, await retry(animal.repeat));
  for (const category of ledger.categories) markCertain(category, await retry(category.repeat));
}

/** Creates a function that sends a request twice more and returns the id in its response. */
function createRetry(ledger: Ledger, client: Client, before: ReadonlySet<string>) {
  return async (request: Repeatable | undefined): Promise<number | undefined> => {
    if (request === undefined) return undefined;
    const { path, body, key } = request;
    const send = () => client.post(path, body, { 'idempotency-key': key });
    const first = await send();
    const second = await send();
    const { id } = JSON.parse(first.text);
    const replayed = first.headers.has('idempotent-replayed');
    const known = before.has(`${path} ${id}`);
    if (first.status !== 201 || second.text !== first.text || replayed !== known) {
      ledger.problems.push(
        `retry of ${key}: ${first.text}, replayed: ${replayed}, known: ${known}`,
      );
    }
    noteId(ledger, path, id);
    return id;
  };
}

/** Records that the request in doubt took effect. */
function markCertain<S>(thing: Tracked<S>, id: number | undefined): void {
  if (id === undefined) return;
  thing.id ??= id;
  thing.state = thing.doubt ?? thing.state;
  thing.doubt = undefined;
  thing.repeat = undefined;
}

async function listedIds(client: Client): Promise<Set<string>> {
  const ids = new Set<string>();
  for (const path of ['/v1/pets', '/v1/store/orders', '/v1/categories']) {
    for (const { id } of await listAll<{ id: number }>(client, path)) ids.add(`${path} ${id}`);
  }
  return ids;
}
