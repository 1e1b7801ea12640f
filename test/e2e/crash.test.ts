import { expect, test } from 'bun:test';
import { crash, figuresText } from './crash/cycles.ts';
import { KILL_POINTS, killAtRandomTime, killAtSystemCall } from './crash/kill-strategy.ts';
import { createRandom } from './crash/random.ts';

/* A short run; `npm run crash` does long ones, with different kill times and requests per seed. */

const SEED = 20_270_115;
const CYCLES = 6;
const TIMEOUT_MS = 90_000;

test(
  'kill -9 at any time loses no acknowledged write and leaves nothing half done',
  async () => {
    const random = createRandom(SEED);
    const figures = await crash(CYCLES, random, () => killAtRandomTime(random));
    console.log(`seed ${SEED}: ${figuresText(figures)}`);
    expect(figures.problems).toEqual([]);
    // Otherwise the kills came while no request was in flight.
    expect(figures.unanswered).toBeGreaterThan(CYCLES);
  },
  TIMEOUT_MS,
);

for (const call of KILL_POINTS) {
  test(
    `so does a kill at exactly ${call}`,
    async () => {
      const random = createRandom(SEED);
      const figures = await crash(4, random, () => killAtSystemCall(call, 1 + random.below(100)));
      console.log(`${call}: ${figuresText(figures)}`);
      expect(figures.problems).toEqual([]);
    },
    TIMEOUT_MS,
  );
}
