import type { NumberingLag } from '../domain/change-log.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { advice, type Finding, passed } from '../domain/finding.ts';

/** Changes normally get their ids within some milliseconds. */
const LATE_MS = 5 * SECOND_MS;

/** The change log of an inspected database. */
export interface LogFacts {
  readonly count: bigint;
  /** The time of the oldest event; null if there is none. */
  readonly oldestAt: bigint | null;
}

/** The findings for a change log, and for its numbering on an engine that numbers later. */
export function changeFindings({ count, oldestAt }: LogFacts, lag?: NumberingLag): Finding[] {
  const kept = `${count.toLocaleString('en-US')} ${count === 1n ? 'event' : 'events'}`;
  const found = passed(
    'database',
    oldestAt === null
      ? 'It has no events yet.'
      : `It keeps ${kept}, the oldest of ${dayOf(oldestAt)}.`,
  );
  return lag !== undefined && lag.oldestMs > LATE_MS ? [found, late(lag)] : [found];
}

/** Returns the day of a time; a damaged database may hold one that no calendar has. */
function dayOf(at: bigint): string {
  const time = new Date(Number(at));
  return Number.isNaN(time.getTime()) ? `no valid time: ${at}` : time.toISOString().slice(0, 10);
}

function late({ waiting, oldestMs }: NumberingLag): Finding {
  const seconds = Math.floor(oldestMs / SECOND_MS).toLocaleString('en-US');
  return advice(
    'database',
    `Changes wait for their ids, so that nobody learns of them: ${waiting.toLocaleString('en-US')}, the oldest for ${seconds} s.`,
    'If an instance runs, see in pg_stat_activity who holds the lock of change_numbering.',
  );
}
