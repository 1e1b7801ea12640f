import type { Change, ChangeLog, LoggedChange } from '../../src/domain/change-log.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { eventually } from '../support/eventually.ts';

/** Observes a storage as the response cache does. */
export interface ChangeRecorder {
  /** Catches up in a turn of its own, and returns the changes reported since the last call, or `lost`. */
  next(): Promise<readonly Change[] | 'lost'>;
}

/** Waits for the next turn of the event loop. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve));
}

/** Starts to record the changes of a storage, from now on. */
export async function recordChanges(storage: Storage): Promise<ChangeRecorder> {
  let changes: Change[] = [];
  let isLost = false;
  const tracker = storage.trackChanges({
    changed: (change) => void changes.push(change),
    lost: () => {
      isLost = true;
    },
  });

  async function next(): Promise<readonly Change[] | 'lost'> {
    changes = [];
    isLost = false;
    await nextTurn();
    if (!(await tracker.catchUp())) throw new Error('the tracker does not know what has changed');
    return isLost ? 'lost' : changes;
  }

  await next();
  return { next };
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
