import { readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { createTemporaryFolder } from '../support/temporary.ts';
import { replay, search, type Violation } from './campaign.ts';
import { readSteps } from './input.ts';
import { problemsOf, reportOf } from './report.ts';

/*
 * npm run fuzz -- --minutes 60 [--seed N]
 * npm run fuzz -- --replay FILE
 *
 * Exits with 1 after any problem. Prints the folder with the inputs that got a wrong response;
 * `--replay` sends one again.
 */

const CONNECTIONS = 16;
const SLOW_CONNECTIONS = 32;
const IDLE_CONNECTIONS = 1_000;
const MINUTE_MS = 60_000;
/** At most this many inputs are stored: a few are enough for one fault. */
const STORED_MAX = 100;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    replay: { type: 'string' },
  },
});

/** Writes each violation to a file, in a folder created for the first one. */
function createRecorder(): (violation: Violation) => void {
  let folder: ReturnType<typeof createTemporaryFolder> | undefined;
  let stored = 0;
  return (violation) => {
    if (stored === STORED_MAX) return;
    folder ??= createTemporaryFolder();
    const file = folder.file(`${++stored}.json`);
    writeFileSync(file, JSON.stringify(violation, undefined, 2));
    console.error(`${violation.kind}: ${violation.problem}\n  stored in ${file}`);
  };
}

async function fuzz(): Promise<number> {
  const seed = Number(values.seed);
  const end = performance.now() + Number(values.minutes) * MINUTE_MS;
  if (!Number.isSafeInteger(seed) || Number.isNaN(end)) {
    console.error('--minutes and --seed must be numbers.');
    return 2;
  }
  console.log(`seed ${seed}, for ${values.minutes} minutes`);
  const findings = await search({
    seed,
    isOver: () => performance.now() >= end,
    connections: CONNECTIONS,
    slowConnections: SLOW_CONNECTIONS,
    idleConnections: IDLE_CONNECTIONS,
    onViolation: createRecorder(),
  });
  console.log(reportOf(findings));
  const problems = problemsOf(findings);
  if (problems.length === 0) return 0;
  console.error(`\n${problems.length} problems\n${problems.slice(0, STORED_MAX).join('\n')}`);
  return 1;
}

async function replayFile(file: string): Promise<number> {
  const { steps, ...violation } = JSON.parse(readFileSync(file, 'utf8'));
  const seen = await replay({ ...violation, steps: readSteps(steps) });
  console.log(`then: ${violation.problem}\nnow:`, seen);
  return 0;
}

process.exitCode = values.replay === undefined ? await fuzz() : await replayFile(values.replay);
