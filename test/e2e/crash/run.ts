import { Command } from 'commander';
import { crash, figuresText } from './cycles.ts';
import { DEADLY_CALLS, deathAtAnyMoment, deathAtCall, NO_STRACE } from './death.ts';
import { createRandom } from './random.ts';

/*
 * `npm run crash -- --cycles 1000`: a long run of what test/e2e/crash.test.ts does in short. One
 * in four cycles ends at an exact system call, where strace is installed; the others at any moment.
 */

/** The last call at which a server may be killed. */
const NTH_MAX = 400;

const program = new Command('crash')
  .option('--cycles <NUMBER>', 'kills under load', '100')
  .option('--seed <NUMBER>', 'other moments and requests', String(Date.now() % 2 ** 31))
  .parse();
const { cycles, seed } = program.opts<{ cycles: string; seed: string }>();
const random = createRandom(Number(seed));

function nextDeath() {
  const call = NO_STRACE === undefined && random.below(4) === 0 ? random.one(DEADLY_CALLS) : null;
  return call ? deathAtCall(call, 1 + random.below(NTH_MAX)) : deathAtAnyMoment(random);
}

const begin = performance.now();
const figures = await crash(Number(cycles), random, nextDeath, (soFar) => {
  const seconds = Math.round((performance.now() - begin) / 1_000);
  console.log(`seed ${seed}, ${seconds} s: ${figuresText(soFar)}`);
});
for (const problem of figures.problems) console.log(problem);
process.exitCode = figures.problems.length === 0 ? 0 : 1;
