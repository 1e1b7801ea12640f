import type { Fence } from '../fence.ts';
import type { PortableDatabase } from '../portable-database.ts';
import { TransferFailure } from './failure.ts';

/** Lifts and returns the fence of a database; undefined if it has none. Throws `TransferFailure`. */
export async function liftFence(database: PortableDatabase): Promise<Fence | undefined> {
  if (!(await database.beginHold())) throw new TransferFailure(`${database.name} is in use.`);
  try {
    const fence = await database.findFence();
    if (fence !== undefined) {
      await database.liftFence();
      await database.commit();
    }
    return fence;
  } finally {
    await database.rollBack();
  }
}
