import { beforeAll, expect, setDefaultTimeout, test } from 'bun:test';
import {
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { makeBackup } from '../../src/backups/make.ts';
import { examined, findingsLike } from '../doctor/examination.ts';
import { runHere } from '../support/command-line.ts';
import { sqliteDatabaseAt } from '../support/engines.ts';
import { addEnquiry } from '../support/enquiries.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/*
 * One byte is flipped in the file that a service has open, at places all over it. SQLite keeps no checksums, so a changed letter
 * is found by nobody; but whatever is found is said by all in the same way, and no request is answered with a fault of the service.
 */

setDefaultTimeout(120_000);

const FLIPS = 24;
const PAGE = 4_096;
const NO_PROGRESS = { start() {}, advance() {}, isInterrupted: () => false };
let damaged = 0;
let file: string;
const folder = forAllTests(() => createTemporaryFolder());
beforeAll(async () => {
  file = folder.file('shop.db');
  const database = { ...sqliteDatabaseAt(file), [Symbol.asyncDispose]: async () => {} };
  const engine = { name: 'sqlite' as const, createDatabase: async () => database };
  await using petstore = await startPetstore({ engine });
  const { admin, storage } = petstore;
  for (let n = 0; n < 120; n++) {
    const { text } = await admin.post('/v1/pets', { name: `Rex ${n}`, categoryId: 1 });
    const { id } = JSON.parse(text);
    const profile = { species: 'dog', description: 'Likes water. '.repeat(40), published: true };
    await admin.patch(`/v1/pets/${id}/profile`, profile);
    if (n % 4 === 0) await admin.post('/v1/store/orders', { petId: id });
  }
  await addEnquiry(storage);
});

function flip(path: string, offset: number): void {
  const opened = openSync(path, 'r+');
  const byte = Buffer.alloc(1);
  readSync(opened, byte, 0, 1, offset);
  byte[0] = (byte[0] ?? 0) ^ 0xff;
  writeSync(opened, byte, 0, 1, offset);
  closeSync(opened);
}

const READS = [
  ...[
    '/v1/pets?limit=100',
    '/v1/pets/8',
    '/v1/animals?q=rex',
    '/v1/listings?q=water',
    '/v1/store/orders',
  ],
  ...[
    '/v1/events?after=0',
    '/v1/audit',
    '/v1/enquiries',
    '/v1/stats',
    '/v1/keys',
    '/adopt',
    '/readyz',
  ],
];

/** Half of the places are anywhere, half at the head of a page, where SQLite keeps how to read it. */
function placeOf(n: number, size: number): number {
  const anywhere = Math.floor(((n + 0.37) / FLIPS) * size);
  return n % 2 === 0 ? anywhere : anywhere - (anywhere % PAGE) + (n % 12);
}

/** Sends reads and writes, and returns what was answered but for 200, 201 and 503. */
async function faultsOf({ admin }: TestPetstore): Promise<string[]> {
  const answers: [string, number][] = [];
  for (const target of READS) answers.push([target, (await admin.get(target)).status]);
  for (const name of ['Bella', 'Luna']) {
    answers.push(['addPet', (await admin.post('/v1/pets', { name, categoryId: 1 })).status]);
  }
  return answers
    .filter(([, status]) => ![200, 201, 503].includes(status))
    .map(([target, status]) => `${target} ${status}`);
}

test.each(Array.from({ length: FLIPS }, (_, n) => n))('flip %d', async (n) => {
  const path = folder.file(`${n}.db`);
  copyFileSync(file, path);
  const engine = {
    name: 'sqlite' as const,
    createDatabase: async () => ({
      ...sqliteDatabaseAt(path),
      [Symbol.asyncDispose]: async () => {},
    }),
  };
  const offset = placeOf(n, statSync(path).size);
  {
    await using petstore = await startPetstore({ engine });
    flip(path, offset);
    expect(await faultsOf(petstore)).toEqual([]);
  }
  const place = folder.file(`backups ${n}`);
  mkdirSync(place);
  const order = { database: `sqlite:${path}`, environment: 'production' as const, place };
  const often = { everyMs: 1, keep: 1, now: Date.now(), checks: true };
  const { damage } = await makeBackup({ ...order, ...often }, NO_PROGRESS);
  const found = await examined({ PETSTORE_DATABASE: `sqlite:${path}` });
  const doctor = findingsLike(found, 'database', /damaged/);
  const byHand = await runHere(['backup', folder.file(`${n}.backup`)], {
    PETSTORE_DATABASE: `sqlite:${path}`,
  });
  const isBad = doctor.length > 0;
  // A file that cannot be opened at all is no backup either.
  expect(damage === undefined || damage.length > 0).toBe(isBad);
  expect(byHand.exitCode).toBe(isBad ? 1 : 0);
  if (isBad) damaged++;
});

test('some of them are found', () => {
  expect(damaged).toBeGreaterThan(FLIPS / 6);
});
