/** `bun bench/limits-memory.ts`: the memory that the limiter needs for keys and addresses. */
import type { LimitRules } from '../src/domain/allowance.ts';
import { DAY_MS, MINUTE_MS } from '../src/domain/clock.ts';
import { FIXED_PLANS } from '../src/domain/plan.ts';
import { createMemoryLimiter } from '../src/limits/memory.ts';
import { markdownTable } from './table.ts';

const KEYS = 100_000;
const ADDRESSES = 1_000_000;
const MEBIBYTE = 1_048_576;
const rules: LimitRules = {
  banRefusals: 60,
  banMs: 15 * MINUTE_MS,
  banMaxMs: DAY_MS,
  anonymousPerMinute: 60,
};

/** Resident memory after a garbage collection, in MiB. */
function resident(): number {
  Bun.gc(true);
  return process.memoryUsage.rss() / MEBIBYTE;
}

const now = Date.now();
const storage = { find: () => undefined, list: () => [], save: () => undefined };
const limiter = createMemoryLimiter(storage, rules);
const rows: string[][] = [];
let before = resident();

function note(label: string): void {
  const after = resident();
  rows.push([label, `${(after - before).toFixed(1)} MiB`, `${after.toFixed(0)} MiB`]);
  before = after;
}

for (let keyId = 1n; keyId <= KEYS; keyId++) {
  const plan = FIXED_PLANS.free;
  const caller = {
    keyId,
    familyId: keyId,
    scopes: ['read'],
    plan,
    unbannedAt: null,
    name: 'a test',
    expiresAt: null,
  } as const;
  await limiter.charge(caller, now);
}
await limiter.flush();
note(`${KEYS.toLocaleString('en')} keys in use`);

for (let i = 0; i < ADDRESSES; i++) {
  await limiter.chargeAddress(`2001:db8:${(i >> 16).toString(16)}:${i & 0xffff}::/64`, now);
}
note(`${ADDRESSES.toLocaleString('en')} addresses in one minute`);

for (let i = 0; i < ADDRESSES; i++) {
  await limiter.chargeAddress(`2001:db8:${i & 0xffff}:${i >> 16}::/64`, now + MINUTE_MS);
}
note(`${ADDRESSES.toLocaleString('en')} others in the next`);

process.stdout.write(`${markdownTable(['the limiter', 'added', 'process'], rows)}\n`);
