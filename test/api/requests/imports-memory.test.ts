import { afterEach, beforeEach, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { chosenEngine, type TestDatabase } from '../../support/engines.ts';
import { type Serving, startServing } from '../../support/serving.ts';

const MIB = 1_048_576;
const FILE_MIB = 63;

let database: TestDatabase;
let server: Serving;
beforeEach(async () => {
  database = await chosenEngine().createDatabase();
  server = await startServing({ PETSTORE_DATABASE: database.address });
});
afterEach(async () => {
  await server[Symbol.asyncDispose]();
  await database[Symbol.asyncDispose]();
});

/** The most memory that the service has used so far, in bytes. */
function peak(): number {
  const status = readFileSync(`/proc/${server.child.pid}/status`, 'utf8');
  return Number(/VmHWM:\s+(\d+) kB/.exec(status)?.[1]) * 1_024;
}

test.skipIf(process.platform !== 'linux')(
  'a large file is on disk while it arrives, not in memory',
  async () => {
    // The first request loads what every request needs.
    await server.client.get('/v1/imports');
    const before = peak();
    // One row that is too long, so that nothing else takes memory.
    const part = new Uint8Array(MIB).fill(0x78);
    const body = new Blob(Array<Uint8Array>(FILE_MIB).fill(part));
    const headers = { 'content-type': 'text/csv' };
    const response = await server.client.send('POST', '/v1/imports', { headers, body });
    expect(response.status).toBe(202);
    expect(peak() - before).toBeLessThan(FILE_MIB * 0.75 * MIB);
  },
  60_000,
);
