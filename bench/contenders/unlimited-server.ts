/** `bun unlimited-server.ts PORT DATABASE`: our service with a limiter that grants everything. */
import { readConfig } from '../../src/config.ts';
import type { Limiter } from '../../src/domain/allowance.ts';
import { DAY_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { openServer } from '../../src/server.ts';

const [port = '0', database = ''] = process.argv.slice(2);

/** Windows that end as late as those of the benchmark's key, for responses of the same length. */
const endOf = (length: number) => Math.ceil(Date.now() / length) * length;
const counts = { limit: 999_999_999, remaining: 999_999_998 };
const quota = {
  at: Date.now(),
  minute: { ...counts, resetsAt: endOf(MINUTE_MS) },
  day: { ...counts, resetsAt: endOf(DAY_MS) },
  bannedUntil: undefined,
};
const granted = { quota: quota, refusal: undefined };

const limiter: Limiter = {
  charge: () => granted,
  look: () => quota,
  chargeAddress: () => granted,
  lookAddress: () => quota,
  flush: () => {},
  report: () => [],
  sharing: () => undefined,
  close: () => {},
};

await openServer(readConfig({ port, database }, {}), { limiter });
