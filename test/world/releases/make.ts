/*
 * Leaves the databases of this release behind, for the tests of later ones: `npm run release:databases` (CONTRIBUTING.md).
 * A shop with a row in every table, on both engines, and what the service answers about it.
 */
import { Database } from 'bun:sqlite';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { openStorage } from '../../../src/storage/open.ts';
import { COPIED } from '../../../src/storage/tables.ts';
import { createTestClock } from '../../support/clock.ts';
import { sqlite, type TestDatabase, type TestEngine } from '../../support/engines.ts';
import { eventually } from '../../support/eventually.ts';
import { addPerson, signedIn } from '../../support/people.ts';
import { postgres } from '../../support/postgres-engine.ts';
import { asServiceUser, postgresPrograms } from '../../support/postgres-server.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';
import { createTemporaryFolder } from '../../support/temporary.ts';
import { openShop } from '../../support/year.ts';
import { readWhole } from './reading.ts';
import { SETTINGS } from './stored.ts';

/** An animal is removed after 20 days. */
const DAYS = 22;
const KEPT = 400 * DAY_MS;
/** So that some have ended. */
const EVENTS_KEPT = 10 * DAY_MS;

/** Lives some weeks, so that the clock of a test server goes on where they end. */
async function fill({ address }: TestDatabase): Promise<void> {
  const clock = createTestClock();
  clock.advance(-DAYS * DAY_MS);
  const storage = await openStorage(address, 'production');
  const kept = {
    eventsKeepMs: EVENTS_KEPT,
    auditKeepMs: KEPT,
    enquiriesKeepMs: KEPT,
    ordersKeepMs: KEPT,
  };
  const shop = await openShop(storage, clock, kept, 1);
  for (let day = 0; day < DAYS; day++) await shop.live();
  await storage.close();
}

/** Adds what only requests add. */
async function ask(petstore: TestPetstore): Promise<void> {
  const { admin, storage } = petstore;
  async function done(response: ReturnType<typeof admin.get>): Promise<{ id: number }> {
    const { status, text } = await response;
    if (status >= 300) throw new Error(`${status} ${text}`);
    return text === '' ? { id: 0 } : JSON.parse(text);
  }
  await done(admin.patch('/v1/shop', { name: 'Happy Tails', email: 'office@example.org' }));
  const person = await addPerson(petstore, { name: 'Maria', email: 'maria@example.org' });
  await signedIn(petstore, person);
  const { id: petId } = await done(
    admin.post('/v1/pets', { name: 'Zoë', categoryId: 1, status: 'available' }),
  );
  for (const status of ['pending', 'available']) {
    await done(admin.patch(`/v1/pets/${petId}`, { status }));
  }
  const { id: orderId } = await done(admin.post('/v1/store/orders', { petId, adopter: 'Kim' }));
  await done(admin.patch(`/v1/store/orders/${orderId}`, { status: 'approved' }));
  await done(admin.patch('/v1/enquiries/1', { note: 'Called on Monday.', ownerId: person.id }));
  // Nobody listens there.
  const place = { kind: 'csv', address: 'ftp://shop@127.0.0.1:9/animals', every: '24h' };
  const { id: channelId } = await done(
    admin.post('/v1/channels', { ...place, password: 'seven quiet llamas' }),
  );
  await done(admin.post(`/v1/channels/${channelId}/send`, undefined));
  await eventually(
    async () => JSON.parse((await admin.get(`/v1/channels/${channelId}/sendings`)).text),
    ([sending]) => sending?.endedAt != null,
  );
  await done(admin.post('/v1/webhooks', { url: 'https://b.example/', types: ['pet.created'] }));
  await storage.optimize();
}

async function requireEveryTable(database: TestDatabase): Promise<void> {
  for (const table of COPIED) {
    const [found] = await database.sql(`SELECT count(*) AS n FROM ${table}`);
    if (Number(found?.['n']) === 0) throw new Error(`${table} is empty`);
  }
}

/** The file of a database, in one piece. */
function dumpSqlite({ address }: TestDatabase): Uint8Array {
  using folder = createTemporaryFolder();
  using database = new Database(address.replace('sqlite:', ''), { readonly: true });
  database.query('VACUUM INTO ?').run(folder.file('dump.db'));
  return readFileSync(folder.file('dump.db'));
}

/** Statements, without what only psql knows. */
function dumpPostgres({ address }: TestDatabase): Uint8Array {
  const command = [`${postgresPrograms()}/pg_dump`, '--inserts', '--no-owner', address];
  const { exitCode, stdout, stderr } = Bun.spawnSync(asServiceUser(command), { cwd: '/' });
  if (exitCode !== 0) throw new Error(String(stderr));
  return Buffer.from(String(stdout).replaceAll(/^\\.*\n/gm, ''));
}

async function leave(engine: TestEngine, folder: string): Promise<void> {
  await using database = await engine.createDatabase();
  await fill(database);
  const opened = { ...engine, createDatabase: async () => database };
  await using petstore = await startPetstore({ engine: opened, settings: SETTINGS });
  await ask(petstore);
  await requireEveryTable(database);
  const answers = JSON.stringify(await readWhole(petstore.admin), null, 1);
  const dump = engine.name === 'sqlite' ? dumpSqlite(database) : dumpPostgres(database);
  for (const [name, content] of [
    [`${engine.name}.gz`, dump],
    [`${engine.name}.json.gz`, answers],
  ] as const) {
    writeFileSync(join(folder, name), Bun.gzipSync(Buffer.from(content), { level: 9 }));
  }
}

const { version } = await Bun.file(join(import.meta.dir, '../../../package.json')).json();
const folder = join(import.meta.dir, version);
mkdirSync(folder, { recursive: true });
for (const engine of [sqlite, postgres]) await leave(engine, folder);
process.stdout.write(`${folder}\n`);
// The server of PostgreSQL ends with this process.
process.exit(0);
