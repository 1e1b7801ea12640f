import { Command } from 'commander';
import { type CrashFigures, crash, figuresText } from './cycles.ts';
import { KILL_POINTS, killAtRandomTime, killAtSystemCall } from './kill-strategy.ts';
import { createRandom } from './random.ts';

/*
 * `npm run crash -- --cycles 1000`: a long run of test/e2e/crash.test.ts. One in four cycles kills
 * at an exact system call, if strace is installed; the others kill at a random time.
 */

/** Highest number of the call at which a server is killed. */
const NTH_MAX = 400;

const program = new Command('crash')
  .option('--cycles <NUMBER>', 'kills under load', '100')
  .option('--seed <NUMBER>', 'seed of the kill times and requests', String(Date.now() % 2 ** 31))
  .parse();
const { cycles, seed } = program.opts<Record<'cycles' | 'seed', string>>();
const random = createRandom(Number(seed));

function nextStrategy() {
  const call = random.below(4) === 0 ? random.one(KILL_POINTS) : null;
  return call ? killAtSystemCall(call, 1 + random.below(NTH_MAX)) : killAtRandomTime(random);
}

const start = performance.now();
function report(soFar: CrashFigures): void {
  const seconds = Math.round((performance.now() - start) / 1_000);
  console.log(`seed ${seed}, ${seconds} s: ${figuresText(soFar)}`);
}
const figures = await crash(Number(cycles), random, nextStrategy, report);
for (const problem of figures.problems) console.log(problem);
process.exitCode = figures.problems.length === 0 ? 0 : 1;
