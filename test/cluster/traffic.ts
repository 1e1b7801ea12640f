import { audit, auditRecords } from '../e2e/crash/audit.ts';
import type { Ledger } from '../e2e/crash/ledger.ts';
import { createRandom } from '../e2e/crash/random.ts';
import { type Verdict, work } from '../e2e/crash/worker.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { startProcessClock } from '../support/process-clock.ts';
import type { TestDatabase } from '../support/test-database.ts';

/** A failure as a client sees it: a status, or a connection closed without a response. */
export type FailureKind = number | 'no response';

/** Clients that read and write without a pause, and the failures they see. */
export interface Traffic extends AsyncDisposable {
  /** Number of successful requests so far. */
  readonly served: number;
  readonly failures: ReadonlyMap<FailureKind, number>;
  /** For each request without a response: the request, the error and how long it took. */
  readonly unanswered: readonly string[];
  /** Longest response time since the last call, in milliseconds. */
  takeSlowest(): number;
  /** Time of the last failure, from `performance.now()`; 0 if there was none. */
  readonly lastFailureAt: number;
  /** Waits for the open requests, then compares the database with the responses. */
  end(): Promise<void>;
}

const WRITERS = 6;
const READERS = 3;
/** Pause before a refused client retries. */
const PAUSE_MS = 50;
let generations = 0;

/** What the clients need: a way to the service, and to its database for the comparison. */
export interface TrafficTarget {
  readonly client: Client;
  readonly database: Pick<TestDatabase, 'sql'>;
}

/** Starts clients that use the service and record responses in the ledger. */
export function startTraffic({ client, database }: TrafficTarget, ledger: Ledger): Traffic {
  const generation = ++generations;
  const clock = startProcessClock();
  const failures = new Map<FailureKind, number>();
  const unanswered: string[] = [];
  let served = 0;
  let slowest = 0;
  let lastFailureAt = 0;
  let over = false;

  /** Trusts the message of a 503; the audit verifies it. */
  async function classify(response: ClientResponse | undefined): Promise<Verdict> {
    await noteFailure(response);
    return response?.text.includes('nothing was changed') === true ? 'unchanged' : 'in doubt';
  }

  async function noteFailure(response: ClientResponse | undefined): Promise<void> {
    const kind = response?.status ?? 'no response';
    failures.set(kind, (failures.get(kind) ?? 0) + 1);
    lastFailureAt = performance.now();
    await Bun.sleep(PAUSE_MS);
  }

  /** A client that records response times. */
  const timed = {
    ...client,
    get: timedAs('get'),
    post: timedAs('post'),
    patch: timedAs('patch'),
    delete: timedAs('delete'),
  };
  function timedAs<M extends 'get' | 'post' | 'patch' | 'delete'>(method: M): Client[M] {
    // TypeScript does not see that the methods take the same path first.
    const send = client[method] as (...request: unknown[]) => Promise<ClientResponse>;
    return (path: string, ...rest: unknown[]) => time(`${method} ${path}`, send(path, ...rest));
  }
  async function time(request: string, response: Promise<ClientResponse>): Promise<ClientResponse> {
    const start = clock.now();
    try {
      const received = await response;
      if (received.status < 300) served++;
      return received;
    } catch (error) {
      // An error without a code is not a broken connection, but an invalid response.
      if (!(error instanceof Error && 'code' in error)) ledger.problems.push(`${error}`);
      else unanswered.push(`${request}: ${error.code} after ${(clock.now() - start).toFixed()} ms`);
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
    unanswered,
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
      await auditRecords(ledger, (sql) => database.sql(sql));
      await audit(ledger, client);
    },
    // After a failed test, its clients must not run on into the next one.
    async [Symbol.asyncDispose]() {
      await stop();
      clock[Symbol.dispose]();
    },
  };
}
