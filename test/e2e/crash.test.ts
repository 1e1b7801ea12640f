import { expect, test } from 'bun:test';
import { crash, figuresText } from './crash/cycles.ts';
import { DEADLY_CALLS, deathAtAnyMoment, deathAtCall, NO_STRACE } from './crash/death.ts';
import { createRandom } from './crash/random.ts';

/* A short run; `npm run crash` makes long ones, with other moments and requests for each seed. */

const SEED = 20_270_115;
const CYCLES = 6;
const TIMEOUT_MS = 90_000;

test(
  'kill -9 at any moment loses nothing that was acknowledged, and leaves nothing half done',
  async () => {
    const random = createRandom(SEED);
    const figures = await crash(CYCLES, random, () => deathAtAnyMoment(random));
    console.log(`seed ${SEED}: ${figuresText(figures)}`);
    expect(figures.problems).toEqual([]);
    // Else the kills came when nothing was under way.
    expect(figures.unanswered).toBeGreaterThan(CYCLES);
  },
  TIMEOUT_MS,
);

for (const call of DEADLY_CALLS) {
  test.skipIf(NO_STRACE !== undefined)(
    `so does a kill at an exact point, ${call}${NO_STRACE === undefined ? '' : ` (${NO_STRACE})`}`,
    async () => {
      const random = createRandom(SEED);
      const figures = await crash(4, random, () => deathAtCall(call, 1 + random.below(100)));
      console.log(`${call}: ${figuresText(figures)}`);
      expect(figures.problems).toEqual([]);
    },
    TIMEOUT_MS,
  );
}
