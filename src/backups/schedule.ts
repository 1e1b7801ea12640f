import { MAKE_BACKUP, ownCommand } from '../child/own-program.ts';
import type { BackupReport } from '../domain/backup.ts';
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { causeOf, type Task } from '../jobs/scheduler.ts';
import type { BackupOrder, BackupOutcome } from './make.ts';

/** The wait after a failure, and while another process makes a backup. */
const RETRY_MS = MINUTE_MS;
/** The longest time for one backup. */
const LIMIT_MS = 6 * HOUR_MS;
/** How often to look for damage in the database. */
const CHECK_MS = 24 * HOUR_MS;
/** The wait for a backup that is given up. */
const STOP_MS = 5 * SECOND_MS;

interface BackupParts {
  readonly order: Omit<BackupOrder, 'now' | 'checks'>;
  readonly clock: Clock;
  readonly log: {
    info(message: string, facts?: object): void;
    warn(message: string): void;
    error(message: string, error?: unknown): void;
  };
}

/** Backups that are made while the service runs. */
export interface Backups {
  readonly task: Task;
  report(): BackupReport;
}

/**
 * Creates the task that makes a backup at the start, unless a young one is there, and then on time. Each is made by a
 * process of its own at a lower priority, so whatever happens to it, requests are served.
 */
export function createBackups({ order, clock, log }: BackupParts): Backups {
  const { everyMs } = order;
  const retryMs = Math.min(RETRY_MS, everyMs);
  let newest: BackupReport['newest'];
  let failures = 0;
  let noticed: string | undefined;
  // The place says what is there, whatever was noted of earlier attempts.
  let nextAt = clock.now();
  let checked: BackupReport['checked'];
  let nextCheckAt = clock.now();

  async function run(signal: AbortSignal): Promise<boolean> {
    const now = clock.now();
    const began = performance.now();
    const isCheckDue = now >= nextCheckAt;
    const outcome = await follow({ ...order, now, checks: isCheckDue }, signal).catch(failedBy);
    if (signal.aborted) return false;
    if (outcome.damage !== undefined) noteCheck(now, outcome.damage, outcome.unchecked);
    newest = outcome.newest ?? newest;
    const isThere = outcome.result === 'made' || outcome.result === 'current';
    nextAt = isThere && newest !== undefined ? newest.at + everyMs : clock.now() + retryMs;
    if (outcome.result === 'failed') {
      failures++;
      throw new Error(outcome.problem);
    }
    if (outcome.result === 'made') noteMade(outcome, Math.round(performance.now() - began));
    return isThere;
  }

  function noteMade({ removed, notice, newest: made }: BackupOutcome, milliseconds: number): void {
    const facts = { place: order.place, name: made?.name, bytes: made?.bytes };
    log.info('a backup was made', { ...facts, seconds: milliseconds / SECOND_MS, removed });
    const cause = notice && causeOf(notice);
    if (cause !== undefined && cause !== noticed) {
      log.warn(`${notice}; remove what you do not need yourself`);
    }
    noticed = cause;
  }

  function noteCheck(now: number, damage: readonly string[], unchecked: string | undefined): void {
    if (damage.length > 0) log.error(`the database is damaged: ${damage.join('; ')}`);
    if (unchecked !== undefined)
      log.warn(`could not look whether all photos are there: ${unchecked}`);
    nextCheckAt = now + (unchecked === undefined ? CHECK_MS : HOUR_MS);
    const at = unchecked === undefined ? now : (checked?.at ?? 0);
    checked = { at, faults: damage.length };
  }

  return {
    task: {
      name: 'backups',
      what: 'make a backup',
      dueAt(_, now) {
        // A clock that was set back must not put the next one off.
        nextAt = Math.min(nextAt, now + everyMs);
        nextCheckAt = Math.min(nextCheckAt, now + CHECK_MS);
        return checked !== undefined && now >= nextCheckAt ? now : nextAt;
      },
      run,
    },
    report: () => ({ everyMs, newest, failures, checked }),
  };
}

function failedBy(error: unknown): BackupOutcome {
  return { result: 'failed', problem: error instanceof Error ? error.message : String(error) };
}

/** Lets another process follow an order. Throws if it ends otherwise than with an outcome. */
async function follow(order: BackupOrder, signal: AbortSignal): Promise<BackupOutcome> {
  const child = Bun.spawn([...ownCommand(MAKE_BACKUP)], {
    // With what --env-file has set.
    env: process.env,
    stdin: 'pipe',
    stdout: 'pipe',
    stderr: 'pipe',
    timeout: LIMIT_MS,
    killSignal: 'SIGKILL',
  });
  // Its input stays open: the end would tell it to stop.
  child.stdin.write(`${JSON.stringify(order)}\n`);
  await child.stdin.flush();
  let late: ReturnType<typeof setTimeout> | undefined;
  const stop = () => {
    child.stdin.end();
    late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  try {
    const [output, errors] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    const code = await child.exited;
    // Written by this program.
    if (code === 0) return JSON.parse(output) as BackupOutcome;
    const said = errors.trim().split('\n').at(-1) || `signal ${child.signalCode}, code ${code}`;
    throw new Error(`the process that makes it has ended: ${said}`);
  } finally {
    clearTimeout(late);
    signal.removeEventListener('abort', stop);
  }
}
