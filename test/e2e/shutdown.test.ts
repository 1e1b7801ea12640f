import { afterEach, beforeEach, describe, expect, test } from 'bun:test';
import { openStorage } from '../../src/storage/open.ts';
import { openRawConnection, requestText } from '../support/raw-connection.ts';
import { type Serving, startServing } from '../support/serving.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';

const BODY = '{"name":"Rex","categoryId":7}';
const CONNECTIONS = 12;
/** Set this variable to run more rounds by hand. */
const ROUNDS = Number(process.env['PETSTORE_SHUTDOWN_ROUNDS'] ?? 3);
/** The signal arrives at a random one of these responses: fewer than the plan of the key allows. */
const ANSWERS_MAX = 900;

interface Tally {
  answered: number;
  created: number;
  /** Requests that got no answer. */
  lost: number;
  /** Connections whose last answer said that it was the last. */
  ended: number;
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
 * Sends one request after the other on one connection, until an answer says that it is the last
 * or the server is gone. Every third is a POST whose body comes in pieces.
 */
async function keepAsking({ port, client }: Serving, tally: Tally, turn: number): Promise<void> {
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
    tally.answered++;
    if (response.status === 201) tally.created++;
    if (response.headers.get('connection') !== 'close') continue;
    tally.ended++;
    // It must mean what it says.
    await connection.closed;
    return;
  }
}

/** Serves, asks on many connections, and stops the server amid it. */
async function stopUnderLoad(database: string, delay: string): Promise<Tally> {
  const tally: Tally = { answered: 0, created: 0, lost: 0, ended: 0 };
  const started = await startServing(
    { PETSTORE_DATABASE: database, PETSTORE_LOG_LEVEL: 'warn' },
    ...['--shutdown-delay', delay],
  );
  serving = started;
  const asking = Array.from({ length: CONNECTIONS }, (_, i) => keepAsking(started, tally, i));
  const enough = Math.random() * ANSWERS_MAX;
  while (tally.answered < enough && tally.lost === 0) await Bun.sleep(1);
  started.child.kill('SIGTERM');
  await Promise.all(asking);
  expect(await started.child.exited).toBe(0);
  expect(await started.errors).toBe('');
  return tally;
}

/** Reads the animals and the counted requests from the database after the end. */
async function remains(database: string) {
  const storage = await openStorage(database, 'production');
  try {
    const [counted] = await storage.allowances.list();
    const { used = 0, otherUsed = 0 } = counted?.day ?? {};
    return { animals: await storage.pets.count(), counted: used + otherUsed };
  } finally {
    await storage.close();
  }
}

describe('the end of a service under load', () => {
  test(
    'with a delay costs no request, and tells every client to go',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const database = `sqlite:${folder.file(`${round}.db`)}`;
        const tally = await stopUnderLoad(database, '1s');
        expect(tally).toMatchObject({ lost: 0, ended: CONNECTIONS });
        const { animals, counted } = await remains(database);
        expect({ animals, counted }).toEqual({ animals: tally.created, counted: tally.answered });
      }
    },
    60_000 + ROUNDS * 10_000,
  );

  test(
    'without a delay keeps what was answered, and ends with 0',
    async () => {
      for (let round = 0; round < ROUNDS; round++) {
        const database = `sqlite:${folder.file(`${round}.db`)}`;
        const tally = await stopUnderLoad(database, '0s');
        const { animals, counted } = await remains(database);
        // A connection that is closed before its next request was read loses at most that one.
        expect(tally.lost + tally.ended).toBe(CONNECTIONS);
        expect(animals).toBeWithin(tally.created, tally.created + tally.lost + 1);
        expect(counted).toBeWithin(tally.answered, tally.answered + tally.lost + 1);
      }
    },
    60_000 + ROUNDS * 10_000,
  );
});
