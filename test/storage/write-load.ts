import { expect } from 'bun:test';
import type { Client, ClientResponse } from '../support/client.ts';
import { startProcessClock } from '../support/process-clock.ts';
import type { TestPetstore } from '../support/start.ts';

/** Longest response time while the database is away, plus an allowance for a slow machine. */
const RESPONSE_TIME_MAX_MS = 2_000 + 300;
/** The longest time to recover once the database is back. */
export const RECOVERY_MAX_MS = 5_000;
export const WRITERS = 6;
/** Pause after a refusal, per client: together the clients send about 300 requests per second. */
const PAUSE_MS = 3;
export const REX = { name: 'Rex', categoryId: 1 };

/** Clients that add animals without a pause. */
export interface Load extends AsyncDisposable {
  /** Responses by status so far; a refusal without Retry-After is counted under a text. */
  readonly counts: ReadonlyMap<number | string, number>;
  /** Ends the load. Returns the acknowledged ids and the longest response time in ms. */
  end(): Promise<{ readonly acknowledged: string[]; readonly slowest: number }>;
}

export function startLoad(client: Client, clients = WRITERS): Load {
  const counts = new Map<number | string, number>();
  const acknowledged: string[] = [];
  const clock = startProcessClock();
  let slowest = 0;
  let ended = false;

  async function write(): Promise<void> {
    while (!ended) {
      const start = clock.now();
      const response = await client.post('/v1/pets', REX);
      slowest = Math.max(slowest, clock.now() - start);
      const kind = kindOf(response);
      counts.set(kind, (counts.get(kind) ?? 0) + 1);
      if (kind === 201) acknowledged.push(JSON.parse(response.text).id.toString());
      else await Bun.sleep(PAUSE_MS * clients);
    }
  }
  const writers = Array.from({ length: clients }, write);

  return {
    counts,
    async end() {
      ended = true;
      await Promise.all(writers);
      return { acknowledged, slowest };
    },
    // After a failed test, its clients must neither run on into the next one nor hide the failure.
    async [Symbol.asyncDispose]() {
      ended = true;
      await Promise.allSettled(writers);
      clock[Symbol.dispose]();
    },
  };
}

/** Returns the status of a response, or a text for a refusal without Retry-After. */
function kindOf({ status, headers }: ClientResponse): number | string {
  const isExpected = status === 201 || /^[1-9]/.test(headers.get('retry-after') ?? '');
  return isExpected ? status : `${status} without Retry-After`;
}

/** Waits until the service adds an animal again, and returns the time that took in ms. */
export async function recovery(client: Client): Promise<number> {
  using clock = startProcessClock();
  while (clock.now() < 2 * RECOVERY_MAX_MS) {
    const response = await client.post('/v1/pets', { name: 'Back', categoryId: 1 });
    if (response.status === 201) break;
    await Bun.sleep(20);
  }
  return clock.now();
}

/** Expects only 201 and 503, all in time, and every acknowledged animal in the database. */
export async function expectNothingLost(petstore: TestPetstore, load: Load): Promise<void> {
  const { acknowledged, slowest } = await load.end();
  expect([...load.counts.keys()].filter((kind) => kind !== 201 && kind !== 503)).toEqual([]);
  expect(slowest).toBeLessThan(RESPONSE_TIME_MAX_MS);
  const rows = await petstore.database.sql('SELECT id FROM pets');
  const stored = new Set(rows.map(({ id }) => String(id)));
  expect(acknowledged.filter((id) => !stored.has(id))).toEqual([]);
  expect(new Set(acknowledged).size).toBe(acknowledged.length);
  expect(acknowledged.length).toBeGreaterThan(0);
}
