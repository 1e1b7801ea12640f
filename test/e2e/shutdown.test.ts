import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { openRawConnection, requestText } from '../support/raw-connection.ts';
import { type Serving, startServing } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const BODY = '{"name":"Rex","categoryId":7}';
const CONNECTIONS = 12;
/** Set this variable to run more rounds by hand. */
const ROUNDS = Number(process.env['PETSTORE_SHUTDOWN_ROUNDS'] ?? 1);
/** The signal arrives at a random response below this, which is fewer than the plan allows. */
const RESPONSES_MAX = 900;

interface Tally {
  responses: number;
  created: number;
  /** Requests without a response. */
  lost: number;
  /** Connections that the server announced to close. */
  closed: number;
}

let folder: TemporaryFolder;
let serving: Serving | undefined;
beforeEach(() => {
  folder = createTemporaryFolder();
});
afterEach(async () => {
  serving?.child.kill('SIGKILL');
  await serving?.child.exited;
  folder[Symbol.dispose]();
});

/**
 * Sends requests one by one on one connection, until the server announces its close or is gone.
 * Every third is a POST whose body comes in pieces.
 */
async function sendRequests({ port, client }: Serving, tally: Tally, turn: number): Promise<void> {
  using connection = openRawConnection(port);
  const fields = ['Host: x', `Authorization: Bearer ${client.key}`];
  const post = [...fields, 'Content-Type: application/json', `Content-Length: ${BODY.length}`];
  for (let i = turn; ; i++) {
    if (i % 3 === 0) {
      connection.write(requestText('POST /v1/pets', ...post));
      connection.write(BODY.slice(0, i % BODY.length));
      await new Promise((resolve) => setImmediate(resolve));
      connection.write(BODY.slice(i % BODY.length));
    } else {
      connection.write(requestText(i % 3 === 1 ? 'GET /v1/pets' : 'GET /v1/pets/1', ...fields));
    }
    const response = await connection.response();
    if (response === undefined) {
      tally.lost++;
      return;
    }
    tally.responses++;
    if (response.status === 201) tally.created++;
    if (response.headers.get('connection') !== 'close') continue;
    tally.closed++;
    // The announced close must follow.
    await connection.closed;
    return;
  }
}

/** Starts a server, sends requests on many connections, and stops it under this load. */
async function stopUnderLoad(database: string, delay: string): Promise<Tally> {
  const tally: Tally = { responses: 0, created: 0, lost: 0, closed: 0 };
  const started = await startServing(
    { PETSTORE_DATABASE: database, PETSTORE_LOG_LEVEL: 'warn' },
    ...['--shutdown-delay', delay],
  );
  serving = started;
  const clients = Array.from({ length: CONNECTIONS }, (_, i) => sendRequests(started, tally, i));
  const enough = Math.random() * RESPONSES_MAX;
  while (tally.responses < enough && tally.lost === 0) await Bun.sleep(1);
  started.child.kill('SIGTERM');
  await Promise.all(clients);
  expect(await started.child.exited).toBe(0);
  expect(await started.errors).toBe('');
  return tally;
}

/** The numbers of animals and counted requests in the database after the end. */
async function storedCounts(database: string) {
  const storage = await openStorage(database, 'production');
  try {
    const [counted] = await storage.allowances.list();
    const { used = 0, otherUsed = 0 } = counted?.day ?? {};
    return { animals: await storage.pets.count(), counted: used + otherUsed };
  } finally {
    await storage.close();
  }
}

describe('stopping a service under load', () => {
  test(
    'with a delay loses no request, and closes every connection',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const database = `sqlite:${folder.file(`${round}.db`)}`;
        const tally = await stopUnderLoad(database, '3s');
        expect(tally).toMatchObject({ lost: 0, closed: CONNECTIONS });
        const { animals, counted } = await storedCounts(database);
        expect({ animals, counted }).toEqual({ animals: tally.created, counted: tally.responses });
      }
    },
    60_000 + ROUNDS * 10_000,
  );

  test(
    'without a delay keeps every acknowledged write, and exits with 0',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const database = `sqlite:${folder.file(`${round}.db`)}`;
        const tally = await stopUnderLoad(database, '0s');
        const { animals, counted } = await storedCounts(database);
        // A connection that is closed before its next request is read loses at most that request.
        expect(tally.lost + tally.closed).toBe(CONNECTIONS);
        expect(animals).toBeWithin(tally.created, tally.created + tally.lost + 1);
        expect(counted).toBeWithin(tally.responses, tally.responses + tally.lost + 1);
      }
    },
    60_000 + ROUNDS * 10_000,
  );
});
