import type { Seal } from '../fence.ts';
import type { Shop } from '../portable-database.ts';
import { TransferFailure } from './failure.ts';

/** Lifts the seal of a shop and gives it; undefined where there is none. Throws `TransferFailure`. */
export async function unsealShop(shop: Shop): Promise<Seal | undefined> {
  if (!(await shop.beginHold())) throw new TransferFailure(`${shop.name} is in use.`);
  try {
    const seal = await shop.findSeal();
    if (seal !== undefined) {
      await shop.unseal();
      await shop.commit();
    }
    return seal;
  } finally {
    await shop.rollBack();
  }
}
