import { fenceProblem } from '../fence.ts';
import { CommitInDoubt, type PortableDatabase } from '../portable-database.ts';
import { UnusableDatabase } from '../unusable.ts';
import { type Counts, copyDatabase, hold, requireEmpty } from './copy.ts';
import { reasonOf, TransferFailure } from './failure.ts';
import type { Progress } from './progress.ts';

/**
 * Copies a backup, in one transaction, into a database that no other process has open; `force`
 * replaces its content. Ids already assigned are not reused. Throws `TransferFailure` and
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
    else await requireEmpty(target, '--force replaces what is there with the backup.');
    await backup.beginSnapshot();
    const counts = await copyDatabase(backup, target, progress);
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
