import { expect } from 'bun:test';
import type { Client, ClientResponse } from '../support/client.ts';
import { expectError } from '../support/expect-error.ts';
import type { Ledger } from './crash/ledger.ts';
import { createRandom } from './crash/random.ts';
import { type Verdict, work } from './crash/worker.ts';

const WORKERS = 6;
/** The pause before a client retries. */
const PAUSE_MS = 5;

/** Clients that write without a pause to a server that may refuse writes, but must not fail. */
export interface Writing {
  /** Number of refused writes so far, which changed nothing. */
  refused(): number;
  end(): Promise<void>;
}

/** Starts writing through every operation. */
export function startWriting(client: Client, ledger: Ledger): Writing {
  let over = false;
  let refused = 0;
  const random = createRandom(7);

  async function classify(response: ClientResponse | undefined): Promise<Verdict> {
    if (response?.status !== 503) return 'wrong';
    expectError(response, 'service_unavailable');
    expect(response.headers.get('retry-after')).toMatch(/^[1-9]/);
    refused++;
    await Bun.sleep(PAUSE_MS);
    return 'unchanged';
  }

  const workers = Array.from({ length: WORKERS }, (_, n) =>
    work({
      name: `w${n}`,
      client,
      ledger,
      random: createRandom(random.below(2 ** 31)),
      shouldStop: () => over,
      classify,
    }),
  );
  return {
    refused: () => refused,
    async end() {
      over = true;
      await Promise.all(workers);
    },
  };
}
