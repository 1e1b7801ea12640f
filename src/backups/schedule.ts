import { MAKE_BACKUP, ownCommand } from '../child/own-program.ts';
import type { BackupReport } from '../domain/backup.ts';
import { type Clock, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import type { BackupOrder, BackupOutcome } from './make.ts';

/** Interval at which it is looked whether a backup is due. */
const LOOK_MS = SECOND_MS;
/** The wait after a failure, and while another process makes a backup. */
const RETRY_MS = MINUTE_MS;
/** The longest time for one backup. */
const LIMIT_MS = 6 * HOUR_MS;
/** How often to look for damage in the database. */
const CHECK_MS = 24 * HOUR_MS;
/** The wait for a backup that is given up. */
const STOP_MS = 5 * SECOND_MS;

interface SchedulePart {
  readonly order: Omit<BackupOrder, 'now' | 'checks'>;
  readonly clock: Clock;
  isFenced(): boolean;
  readonly log: {
    info(message: string, facts?: object): void;
    warn(message: string): void;
    error(message: string, error?: unknown): void;
  };
}

/** Backups that are made while the service runs. */
export interface Backups {
  report(): BackupReport;
  /** Gives up the backup under way. */
  end(): Promise<void>;
}

/**
 * Makes a backup now, unless a young one is there, and then on time. Each is made by a process of its own at a lower
 * priority, so whatever happens to it, requests are served.
 */
export function startBackups({ order, clock, isFenced, log }: SchedulePart): Backups {
  const { everyMs } = order;
  const retryMs = Math.min(RETRY_MS, everyMs);
  let newest: BackupReport['newest'];
  let failures = 0;
  let logged: string | undefined;
  let noticed: string | undefined;
  let nextAt = clock.now();
  let checked: BackupReport['checked'];
  let turn: Promise<void> | undefined;
  const ending = new AbortController();

  async function attempt(now: number): Promise<void> {
    const began = performance.now();
    const outcome = await follow({ ...order, now, checks: isCheckDue(now) }, ending.signal).catch(
      failedBy,
    );
    if (ending.signal.aborted) return;
    if (outcome.damage !== undefined) noteCheck(now, outcome.damage);
    newest = outcome.newest ?? newest;
    const isThere = outcome.result === 'made' || outcome.result === 'current';
    nextAt = isThere && newest !== undefined ? newest.at + everyMs : clock.now() + retryMs;
    if (outcome.result === 'failed') {
      failures++;
      // An outage is logged once.
      const cause = causeOf(outcome.problem);
      if (cause === logged) return;
      logged = cause;
      log.error('could not make a backup; trying again', new Error(outcome.problem));
    } else if (outcome.result === 'made') {
      const seconds = Math.round(performance.now() - began) / SECOND_MS;
      const { name, bytes } = outcome.newest ?? {};
      const facts = { place: order.place, name, bytes, seconds, removed: outcome.removed };
      log.info('a backup was made', facts);
      const { notice } = outcome;
      if (notice !== undefined && causeOf(notice) !== noticed) {
        log.warn(`${notice}; remove what you do not need yourself`);
      }
      noticed = causeOf(notice);
    }
    if (outcome.result !== 'failed') logged = undefined;
  }

  const isCheckDue = (now: number) => checked === undefined || now - checked.at >= CHECK_MS;

  function noteCheck(at: number, damage: readonly string[]): void {
    if (damage.length > 0) log.error(`the database is damaged: ${damage.join('; ')}`);
    checked = { at, faults: damage.length };
  }

  function look(): void {
    const now = clock.now();
    // A clock that was set back must not put the next one off.
    nextAt = Math.min(nextAt, now + everyMs);
    const isDue = now >= nextAt || (checked !== undefined && isCheckDue(now));
    if (!isDue || isFenced()) return;
    turn ??= attempt(now).finally(() => {
      turn = undefined;
    });
  }

  const timer = setInterval(look, LOOK_MS);
  look();
  return {
    report: () => ({ everyMs, newest, failures, checked }),
    async end() {
      clearInterval(timer);
      ending.abort();
      await turn;
    },
  };
}

/** What a message says but for names and numbers, which are others at each attempt. */
function causeOf(message: string | undefined): string | undefined {
  return message?.replace(/\b[0-9a-f]{8}\.partial\b|\d[\d,TZ]*/g, '#');
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
