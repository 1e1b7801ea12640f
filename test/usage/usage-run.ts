import { DAY_MS } from '../../src/domain/clock.ts';
import type { UsageCounts, UsagePeriod } from '../../src/domain/usage.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createInstance, type Instance } from '../cluster/instance.ts';
import type { TestDatabase } from '../support/engines.ts';
import { createServingKey, UNLIMITED } from '../support/serving.ts';

/** Two instances that count together. */
export interface UsageRun {
  readonly database: TestDatabase;
  /** The address of Valkey, or `memory:` for limits of each instance. */
  readonly limits: string;
  /** The requests to send, over both instances and all keys. */
  readonly requests: number;
}

/** What a key got in response, and what was counted for it by hour and by day. */
export interface KeyOutcome {
  readonly received: UsageCounts;
  readonly counted: Record<UsagePeriod, UsageCounts>;
}

/** Requests under way at once. */
const CONNECTIONS = 32;
/** Of every hundred requests, these are sent while the table of animals is missing. */
const BROKEN_PERCENT = 2;
/** A limit that a run exceeds. */
const LIMITED = ['--plan', 'enterprise', '--per-minute', '50', '--per-day', '1000000'];

type Sum = { -readonly [K in keyof UsageCounts]: UsageCounts[K] };
const none = (): Sum => ({ requests: 0, refused: 0, errors: 0 });

/**
 * Sends requests with three keys over two instances, some of them over a limit and some while the
 * database is broken, then stops the instances. Returns the outcome of each key.
 */
export async function runUsage(run: UsageRun): Promise<readonly KeyOutcome[]> {
  const { database, limits, requests } = run;
  const settings = {
    PETSTORE_DATABASE: database.address,
    PETSTORE_LIMITS: limits,
    PETSTORE_LOG_LEVEL: 'error',
    PETSTORE_OPS_PORT: 'off',
  };
  const keys: string[] = [];
  for (const flags of [UNLIMITED, UNLIMITED, LIMITED]) {
    keys.push(await createServingKey(settings, ...flags));
  }
  const received = keys.map(none);
  await using first = createInstance(settings);
  await using second = createInstance(settings);
  const instances = [first, second];
  for (const instance of instances) await instance.start();

  const send = createSender(instances, keys, received);
  const broken = Math.floor((requests * BROKEN_PERCENT) / 100);
  await send(requests - broken);
  await database.sql('ALTER TABLE pets RENAME TO elsewhere');
  await send(broken);
  await database.sql('ALTER TABLE elsewhere RENAME TO pets');
  await Promise.all(instances.map((instance) => instance.terminate()));
  const counted = await countedIn(database, keys.length);
  return received.map((sum, n) => ({ received: sum, counted: counted(n) }));
}

function createSender(instances: readonly Instance[], keys: readonly string[], received: Sum[]) {
  let sent = 0;

  async function sendOne(): Promise<void> {
    const n = sent++;
    const key = n % keys.length;
    const sum = received[key] ?? none();
    // A different animal each time, so that the response cache has none of them.
    const response = await fetch(`${instances[n % instances.length]?.url}/v1/pets?id=${n + 1}`, {
      headers: { authorization: `Bearer ${keys[key]}` },
    });
    await response.arrayBuffer();
    if (response.status === 429) {
      sum.refused++;
      return;
    }
    sum.requests++;
    if (response.status >= 500) sum.errors++;
  }

  return async (count: number): Promise<void> => {
    let left = count;
    const connection = async () => {
      while (left-- > 0) await sendOne();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  };
}

/** Reads what was counted for the keys, in the order in which they were created. */
async function countedIn(database: TestDatabase, count: number) {
  const storage = await openStorage(database.address, 'production', { access: 'read' });
  const range = { from: Date.now() - 2 * DAY_MS, to: Date.now() + DAY_MS };
  const sumOf = async (keyId: bigint, period: UsagePeriod) =>
    (await storage.usage.list(keyId, { ...range, period })).reduce(
      (sum, { requests, refused, errors }) => ({
        requests: sum.requests + requests,
        refused: sum.refused + refused,
        errors: sum.errors + errors,
      }),
      none(),
    );
  const all: Record<UsagePeriod, UsageCounts>[] = [];
  for (let id = 1n; id <= count; id++) {
    all.push({ hour: await sumOf(id, 'hour'), day: await sumOf(id, 'day') });
  }
  await storage.close();
  return (n: number) => all[n] ?? { hour: none(), day: none() };
}
