import type { ClientResponse } from '../../support/client.ts';
import type { Serving } from '../../support/serving.ts';
import type { Ledger } from './ledger.ts';
import { createRandom, type Random } from './random.ts';
import { type Verdict, work } from './worker.ts';

const WORKERS = 12;
/** A connection may break this long before the process is reported dead. */
const NEWS_MS = 10_000;

/** Lets workers write through every operation until the server has been killed. */
export async function writeUntilKilled(
  { child, client, port }: Serving,
  killed: Promise<void>,
  ledger: Ledger,
  random: Random,
  mayRefuse = false,
): Promise<void> {
  let over = false;
  void killed.then(() => {
    over = true;
  });
  const shouldStop = () => over || child.killed;
  async function classify(response: ClientResponse | undefined): Promise<Verdict> {
    if (mayRefuse && response?.status === 503) return 'unchanged';
    if (!shouldStop()) await Promise.race([killed, Bun.sleep(NEWS_MS)]);
    return shouldStop() ? 'in doubt' : 'wrong';
  }
  const workers = Array.from({ length: WORKERS }, (_, i) =>
    work({
      name: `${port}.${i}.${ledger.requests}`,
      client,
      ledger,
      random: createRandom(random.below(2 ** 31)),
      shouldStop,
      classify,
    }),
  );
  await killed;
  await Promise.all(workers);
}
