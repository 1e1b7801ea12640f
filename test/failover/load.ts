import { startTraffic } from '../cluster/traffic.ts';
import type { History } from '../conformance/linearizability/history.ts';
import { recordUntil } from '../conformance/linearizability/recorder.ts';
import { expectDocumented } from '../contract/violations.ts';
import type { Ledger } from '../e2e/crash/ledger.ts';
import { createAcknowledgements } from '../support/acknowledgements.ts';
import { type Client, type ClientResponse, createClient } from '../support/client.ts';
import type { Service } from './service.ts';

/** Clients of two kinds at work on all instances. */
export interface Load extends AsyncDisposable {
  /** The number of acknowledged writes so far. */
  readonly written: number;
  /** The longest time without an acknowledged write since the last call, in seconds. */
  takePause(): number;
  /** Resolves once a write that was sent after this call is acknowledged. */
  untilWritten(): Promise<unknown>;
  /** Stops the clients and compares the shop with every response. */
  end(): Promise<LoadReport>;
}

/** What the clients saw. */
export interface LoadReport {
  readonly written: number;
  /** Contradictions between the shop and the responses: lost writes, repeated ones, wrong states. */
  readonly problems: readonly string[];
  /** Requests whose outcome the client did not learn from their own response. */
  readonly inDoubt: number;
  /** Failures other than a 503 with Retry-After, by kind. */
  readonly otherErrors: ReadonlyMap<string, number>;
  /** For each request without a response: the request, the error and how long it took. */
  readonly unanswered: readonly string[];
  /** The longest response time, in seconds. */
  readonly slowest: number;
  /**
   * When each instance acknowledged writes, by `performance.now()`, between the start of the load and its
   * end.
   */
  readonly acknowledged: readonly (readonly number[])[];
  /** Failures that are 503. */
  readonly refused: number;
  /** For Porcupine. */
  readonly history: History;
}

/**
 * Starts writers that each know their own animals, and clients that compete for a few. The ledger knows everything that was
 * written to the shop, in earlier runs too.
 */
export function startLoad(service: Service, ledger: Ledger): Load {
  const inDoubtBefore = ledger.unanswered;
  const stopwatch = createStopwatch(service.instances.all.length);
  const client = noticing(service, stopwatch.note);
  const traffic = startTraffic({ client, database: service }, ledger);
  let over = false;
  const recording = recordUntil(service.instances, () => over);

  return {
    get written() {
      return stopwatch.count;
    },
    takePause: stopwatch.takePause,
    untilWritten: stopwatch.next,
    async end() {
      over = true;
      const acknowledged = stopwatch.end();
      const slowest = traffic.takeSlowest() / 1_000;
      const history = await recording;
      await traffic.end();
      const failures = [...traffic.failures].map(([kind, count]) => [`${kind}`, count] as const);
      return {
        written: stopwatch.count,
        problems: ledger.problems.splice(0),
        inDoubt: ledger.unanswered - inDoubtBefore,
        otherErrors: new Map(failures.filter(([kind]) => kind !== '503')),
        unanswered: traffic.unanswered,
        acknowledged,
        slowest,
        refused: traffic.failures.get(503) ?? 0,
        history,
      };
    },
    async [Symbol.asyncDispose]() {
      over = true;
      await recording;
      await traffic[Symbol.asyncDispose]();
    },
  };
}

/**
 * A client that takes the instances in turn and notes acknowledged writes. Each request has its own
 * connection, so one that ends without a response was ended by the service.
 */
function noticing(
  { instances: { all, key } }: Service,
  note: (instance: number, sentAt: number) => void,
): Client {
  const clients = all.map(({ url = '' }) => createClient(() => url, key, expectDocumented, false));
  let turn = 0;
  async function send(write: boolean, ask: (client: Client) => Promise<ClientResponse>) {
    const instance = turn++ % clients.length;
    const client = clients[instance];
    if (client === undefined) throw new Error('there is no instance');
    const sentAt = performance.now();
    const received = await ask(client);
    if (write && received.status < 300) note(instance, sentAt);
    return received;
  }
  return {
    key,
    send: (...request) => send(false, (client) => client.send(...request)),
    get: (...request) => send(false, (client) => client.get(...request)),
    head: (...request) => send(false, (client) => client.head(...request)),
    post: (...request) => send(true, (client) => client.post(...request)),
    patch: (...request) => send(true, (client) => client.patch(...request)),
    delete: (...request) => send(true, (client) => client.delete(...request)),
  };
}

/** Notes when each instance acknowledged writes, and measures the pauses of all together. */
function createStopwatch(instances: number) {
  let count = 0;
  let longest = 0;
  let last = performance.now();
  const acknowledged = Array.from({ length: instances }, () => [last]);
  const acknowledgements = createAcknowledgements();
  return {
    next: acknowledgements.next,
    get count() {
      return count;
    },
    /** Ends the lists, and returns them. */
    end() {
      return acknowledged.map((times) => [...times, performance.now()]);
    },
    note(instance: number, sentAt: number) {
      const now = performance.now();
      count++;
      longest = Math.max(longest, now - last);
      last = now;
      acknowledged[instance]?.push(now);
      acknowledgements.note(sentAt);
    },
    takePause() {
      const seconds = Math.max(longest, performance.now() - last) / 1_000;
      longest = 0;
      return seconds;
    },
  };
}
