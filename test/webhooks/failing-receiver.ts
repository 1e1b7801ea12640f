import type { ServerResponse } from 'node:http';
import { createRandom } from '../e2e/crash/random.ts';
import { type ReceivedRequest, startReceiver } from './receivers.ts';

/** An attempt that arrived. */
export interface Arrival {
  readonly path: string;
  readonly headers: ReceivedRequest['headers'];
  readonly body: string;
  /** When it arrived, by the monotonic clock. */
  readonly at: number;
  /** The number of things that the receiver had done before it arrived. */
  readonly step: number;
  /** The same when it was accepted; undefined if it was not. */
  acceptedStep: number | undefined;
}

/** A receiver that fails at random until it is told to be calm. */
export interface FailingReceiver extends AsyncDisposable {
  readonly url: string;
  readonly arrivals: readonly Arrival[];
  /** Accepts everything from now on, and ends requests that hang. */
  calmDown(): void;
}

/** Requests that fail in a row when a path is down: more than after which an endpoint counts as down. */
const DOWN_REQUESTS = 21;
const HANG_MAX_MS = 1_000;
/** The last of the turns that chance chooses among. */
const NEVER_FAILS = 199;

/** Starts a receiver whose failures the seed chooses. */
export async function startFailingReceiver(seed: number): Promise<FailingReceiver> {
  const random = createRandom(seed);
  const arrivals: Arrival[] = [];
  const hanging = new Set<ServerResponse>();
  const down = new Map<string, number>();
  let steps = 0;
  let isCalm = false;

  function accept(arrival: Arrival, response: ServerResponse): void {
    if (response.destroyed) return;
    arrival.acceptedStep = steps++;
    response.writeHead(204).end();
  }

  function hang(response: ServerResponse): void {
    hanging.add(response);
    setTimeout(() => cut(response), random.below(HANG_MAX_MS));
  }

  function cut(response: ServerResponse): void {
    hanging.delete(response);
    // `response.destroy()` of Bun responds with 200.
    response.socket?.destroy();
  }

  function respond(arrival: Arrival, response: ServerResponse): void {
    const left = down.get(arrival.path) ?? 0;
    const turn = isCalm ? NEVER_FAILS : random.below(NEVER_FAILS + 1);
    if (!isCalm && left > 0) {
      down.set(arrival.path, left - 1);
      response.writeHead(500).end('down');
    } else if (turn < 1) {
      down.set(arrival.path, DOWN_REQUESTS);
      response.writeHead(500).end('down');
    } else if (turn < 20) response.writeHead(500).end('no');
    else if (turn < 24) response.writeHead(429, { 'retry-after': '1' }).end();
    else if (turn < 34) cut(response);
    else if (turn < 40) hang(response);
    else if (turn < 60) setTimeout(() => accept(arrival, response), random.below(100));
    else accept(arrival, response);
  }

  const receiver = await startReceiver('127.0.0.1', (_, response) => {
    const request = receiver.requests.at(-1);
    if (request === undefined) return;
    const { path = '', headers, body } = request;
    const [at, step] = [performance.now(), steps++];
    const arrival: Arrival = { path, headers, body, at, step, acceptedStep: undefined };
    arrivals.push(arrival);
    respond(arrival, response);
  });
  return {
    url: `http://127.0.0.1:${receiver.port}`,
    arrivals,
    calmDown() {
      isCalm = true;
      for (const response of [...hanging]) cut(response);
    },
    [Symbol.asyncDispose]: () => receiver[Symbol.asyncDispose](),
  };
}
