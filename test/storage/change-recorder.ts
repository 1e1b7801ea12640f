import type { ChangeLog, LoggedChange } from '../../src/domain/change-log.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { eventually } from '../support/eventually.ts';

/** Waits for the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Waits until every committed change has an id. */
export async function numbered(changes: ChangeLog): Promise<void> {
  await eventually(changes.lag, ({ waiting }) => waiting === 0);
}

/** Returns all changes after an id, read in pages. */
export async function readLog(
  { changes }: Storage,
  after: bigint | undefined,
  limit = 100,
): Promise<LoggedChange[]> {
  await numbered(changes);
  const found: LoggedChange[] = [];
  let from = after;
  for (;;) {
    const page = await changes.list({ after: from, limit });
    if (page.changes.length === 0) return found;
    found.push(...page.changes);
    from = page.resumeAfter;
  }
}
