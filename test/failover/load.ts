import { startTraffic } from '../cluster/traffic.ts';
import type { History } from '../conformance/linearizability/history.ts';
import { recordUntil } from '../conformance/linearizability/recorder.ts';
import type { Ledger } from '../e2e/crash/ledger.ts';
import { type Client, type ClientResponse, createClient } from '../support/client.ts';
import type { Service } from './service.ts';

/** Clients of two kinds at work on all instances. */
export interface Load extends AsyncDisposable {
  /** The number of acknowledged writes so far. */
  readonly written: number;
  /** The longest time without an acknowledged write since the last call, in seconds. */
  takePause(): number;
  /** Resolves once a write that was sent after this call is acknowledged. */
  untilWritten(): Promise<void>;
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
  const acknowledgements = createStopwatch();
  const client = noticing(service, acknowledgements.note);
  const traffic = startTraffic({ client, database: service }, ledger);
  let over = false;
  const recording = recordUntil(service.instances, () => over);

  return {
    get written() {
      return acknowledgements.count;
    },
    takePause: acknowledgements.takePause,
    untilWritten: acknowledgements.next,
    async end() {
      over = true;
      const history = await recording;
      await traffic.end();
      const failures = [...traffic.failures].map(([kind, count]) => [`${kind}`, count] as const);
      return {
        written: acknowledgements.count,
        problems: ledger.problems.splice(0),
        inDoubt: ledger.unanswered - inDoubtBefore,
        otherErrors: new Map(failures.filter(([kind]) => kind !== '503')),
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

/** A client that takes the instances in turn and notes acknowledged writes. */
function noticing({ instances }: Service, note: (sentAt: number) => void): Client {
  let turn = 0;
  const url = () => instances.all[turn++ % instances.all.length]?.url ?? '';
  const client = createClient(url, instances.key);
  const noted = async (response: Promise<ClientResponse>) => {
    const sentAt = performance.now();
    const received = await response;
    if (received.status < 300) note(sentAt);
    return received;
  };
  return {
    ...client,
    post: (...request) => noted(client.post(...request)),
    patch: (...request) => noted(client.patch(...request)),
    delete: (...request) => noted(client.delete(...request)),
  };
}

/** Measures the pauses between acknowledged writes. */
function createStopwatch() {
  let count = 0;
  let longest = 0;
  let last = performance.now();
  let waiting: { readonly since: number; readonly resolve: () => void }[] = [];
  return {
    get count() {
      return count;
    },
    note(sentAt: number) {
      count++;
      longest = Math.max(longest, performance.now() - last);
      last = performance.now();
      for (const { since, resolve } of waiting) if (sentAt >= since) resolve();
      waiting = waiting.filter(({ since }) => sentAt < since);
    },
    takePause() {
      const seconds = Math.max(longest, performance.now() - last) / 1_000;
      longest = 0;
      return seconds;
    },
    next() {
      const { promise, resolve } = Promise.withResolvers<void>();
      waiting.push({ since: performance.now(), resolve });
      return promise;
    },
  };
}
