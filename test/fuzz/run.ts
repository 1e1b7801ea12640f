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
 * Ends with 1 where anything was wrong. Inputs that were answered wrongly are kept in a folder
 * that is named, and can be sent again.
 */

const CONNECTIONS = 16;
const SLOW_CONNECTIONS = 32;
const IDLE_CONNECTIONS = 1_000;
const MINUTE_MS = 60_000;
/** So many inputs are kept; of a fault that many others show as well, a few are enough. */
const KEPT_MAX = 100;

const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '1' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    replay: { type: 'string' },
  },
});

/** Keeps violations in files as they come, in a folder that is made for the first one. */
function createKeeper(): (violation: Violation) => void {
  let folder: ReturnType<typeof createTemporaryFolder> | undefined;
  let stored = 0;
  return (violation) => {
    if (stored === KEPT_MAX) return;
    folder ??= createTemporaryFolder();
    const file = folder.file(`${++stored}.json`);
    writeFileSync(file, JSON.stringify(violation, undefined, 2));
    console.error(`${violation.kind}: ${violation.problem}\n  kept in ${file}`);
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
    onViolation: createKeeper(),
  });
  console.log(reportOf(findings));
  const problems = problemsOf(findings);
  if (problems.length === 0) return 0;
  console.error(`\n${problems.length} problems\n${problems.slice(0, KEPT_MAX).join('\n')}`);
  return 1;
}

async function sendAgain(file: string): Promise<number> {
  const { steps, ...violation } = JSON.parse(readFileSync(file, 'utf8'));
  const seen = await replay({ ...violation, steps: readSteps(steps) });
  console.log(`then: ${violation.problem}\nnow:`, seen);
  return 0;
}

process.exitCode = values.replay === undefined ? await fuzz() : await sendAgain(values.replay);
