import { audit, auditRecords } from '../e2e/crash/audit.ts';
import type { Ledger } from '../e2e/crash/ledger.ts';
import { createRandom } from '../e2e/crash/random.ts';
import { type Verdict, work } from '../e2e/crash/worker.ts';
import type { ClientResponse } from '../support/client.ts';
import { startProcessClock } from '../support/process-clock.ts';
import type { Cluster } from './cluster.ts';

/** How a failure looks to a client: a status, or a connection that ended without an answer. */
export type FailureKind = number | 'no answer';

/** What clients of a cluster meet that read and write without a pause. */
export interface Traffic extends AsyncDisposable {
  /** Answered as they should be, so far. */
  readonly served: number;
  readonly failures: ReadonlyMap<FailureKind, number>;
  /** The longest that an answer took since the last time this was asked, in milliseconds. */
  takeSlowest(): number;
  /** When the last failure came, as `performance.now()`; 0 where none did. */
  readonly lastFailureAt: number;
  /** Ends it when all requests are answered, and holds what is there against what was told. */
  end(): Promise<void>;
}

const WRITERS = 6;
const READERS = 3;
/** Who was refused tries again after this. */
const PAUSE_MS = 50;
let generations = 0;

/** Lets clients use the cluster through its proxy. What they are told goes into the ledger. */
export function startTraffic(cluster: Cluster, ledger: Ledger): Traffic {
  const { client } = cluster;
  const generation = ++generations;
  const clock = startProcessClock();
  const failures = new Map<FailureKind, number>();
  let served = 0;
  let slowest = 0;
  let lastFailureAt = 0;
  let over = false;

  /** Holds what a 503 says of itself for true: the audit shows whether it is. */
  async function classify(response: ClientResponse | undefined): Promise<Verdict> {
    await noteFailure(response);
    return response?.text.includes('nothing was changed') === true ? 'unchanged' : 'in doubt';
  }

  async function noteFailure(response: ClientResponse | undefined): Promise<void> {
    const kind = response?.status ?? 'no answer';
    failures.set(kind, (failures.get(kind) ?? 0) + 1);
    lastFailureAt = performance.now();
    await Bun.sleep(PAUSE_MS);
  }

  /** A client that notes how long its answers took. */
  const timed = {
    ...client,
    get: (...request: Parameters<typeof client.get>) => time(client.get(...request)),
    post: (...request: Parameters<typeof client.post>) => time(client.post(...request)),
    patch: (...request: Parameters<typeof client.patch>) => time(client.patch(...request)),
    delete: (...request: Parameters<typeof client.delete>) => time(client.delete(...request)),
  };
  async function time(response: Promise<ClientResponse>): Promise<ClientResponse> {
    const start = clock.now();
    try {
      const come = await response;
      if (come.status < 300) served++;
      return come;
    } catch (error) {
      // What has no code is no broken connection, but an answer that must not be.
      if (!(error instanceof Error && 'code' in error)) ledger.problems.push(`${error}`);
      throw error;
    } finally {
      slowest = Math.max(slowest, clock.now() - start);
    }
  }

  async function read(): Promise<void> {
    while (!over) {
      const response = await timed.get('/v1/pets?limit=5').catch(() => undefined);
      if (response?.status !== 200) await noteFailure(response);
    }
  }

  const writers = Array.from({ length: WRITERS }, (_, i) =>
    work({
      name: `${generation}.${i}`,
      client: timed,
      ledger,
      random: createRandom(generation * WRITERS + i),
      shouldStop: () => over,
      classify,
    }),
  );
  const readers = Array.from({ length: READERS }, read);

  async function stop(): Promise<void> {
    over = true;
    await Promise.all([...writers, ...readers]);
  }

  return {
    failures,
    get served() {
      return served;
    },
    get lastFailureAt() {
      return lastFailureAt;
    },
    takeSlowest() {
      const taken = slowest;
      slowest = 0;
      return taken;
    },
    async end() {
      await stop();
      await auditRecords(ledger, (sql) => cluster.database.sql(sql));
      await audit(ledger, client);
    },
    // Where a test fails, its clients must not live on in the next one.
    async [Symbol.asyncDispose]() {
      await stop();
      clock[Symbol.dispose]();
    },
  };
}
