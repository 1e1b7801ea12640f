import { systemClock } from '../../domain/clock.ts';
import { fenceProblem } from '../fence.ts';
import { CommitInDoubt, type PortableDatabase } from '../portable-database.ts';
import { type Cell, changeLog } from '../tables.ts';
import { UnusableDatabase } from '../unusable.ts';
import {
  type Counts,
  copyDatabase,
  ensureEmpty,
  hold,
  type Progress,
  reasonOf,
  TransferFailure,
} from './copy.ts';

/**
 * How far the ids of the change log jump: more changes than a database makes between a backup and its
 * loss, so that no id of a lost change is given again.
 */
export const RESTORED_CHANGES_GAP = 1_000_000_000n;

/**
 * Copies a backup, in one transaction, into a database that no other process has open; `force`
 * replaces its content. Ids already assigned are not reused, webhooks are disabled, and the change log
 * tells its readers to read everything again. Throws `TransferFailure` and
 * `UnusableDatabase`, and leaves the database as it was.
 */
export async function restoreDatabase(
  backup: PortableDatabase,
  target: PortableDatabase,
  force: boolean,
  progress: Progress,
): Promise<Counts> {
  const fence = await target.findFence();
  if (fence !== undefined) throw new UnusableDatabase(fenceProblem(target.name, fence));
  try {
    await hold(target, progress);
    if (force) await target.clear();
    else await ensureEmpty(target, '--force replaces what is there with the backup.');
    await backup.beginSnapshot();
    const counts = await copyDatabase(backup, target, progress);
    await noteRestored(target, systemClock.now());
    await target.disableWebhooks();
    await target.commit();
    return counts;
  } catch (error) {
    const state =
      error instanceof CommitInDoubt
        ? `whether ${target.name} holds the backup now is not known: restore it again.`
        : `${target.name} is as it was.`;
    throw new TransferFailure(`${reasonOf(error)} So ${state}`);
  } finally {
    await target.rollBack();
    await backup.rollBack();
  }
}

/**
 * Adds `store.reset` to the change log. Changes made after the backup are lost without any event, so
 * whoever follows the log has to read the records again.
 */
async function noteRestored(target: PortableDatabase, now: number): Promise<void> {
  const log = changeLog();
  const id = (await target.lastId(log)) + RESTORED_CHANGES_GAP;
  const cells: Readonly<Record<string, Cell>> = { id, type: 'store.reset', at: BigInt(now) };
  await target.insert(log, [Object.keys(log.columns).map((name) => cells[name] ?? null)]);
  await target.setLastId(log, id);
}
