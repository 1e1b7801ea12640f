import { sealProblem } from '../fence.ts';
import { CommitInDoubt, type Shop } from '../portable-database.ts';
import { UnusableDatabase } from '../unusable.ts';
import { type Counts, copyShop, hold, requireEmpty } from './copy.ts';
import { reasonOf, TransferFailure } from './failure.ts';
import type { Progress } from './progress.ts';

/**
 * Puts a backup into a database that nobody else has open, in one transaction; `force` replaces
 * what is there. Ids that the database has given are not given again. Throws `TransferFailure`
 * and `UnusableDatabase`, and then it is as before.
 */
export async function restoreShop(
  backup: Shop,
  target: Shop,
  force: boolean,
  progress: Progress,
): Promise<Counts> {
  const seal = await target.findSeal();
  if (seal !== undefined) throw new UnusableDatabase(sealProblem(target.name, seal));
  try {
    await hold(target, progress);
    if (force) await target.clear();
    else await requireEmpty(target, '--force replaces what is there with the backup.');
    await backup.beginSnapshot();
    const counts = await copyShop(backup, target, progress);
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
