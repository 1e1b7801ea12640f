import type { Identity } from '../storage/identity.ts';
import { TransferFailure } from '../storage/transfer/copy.ts';
import type { BackupPlace } from './place.ts';

/** Marks a place as that of a database. Throws `TransferFailure` if it is the place of another one. */
export async function claimPlace(place: BackupPlace, own: Identity): Promise<void> {
  if ((await place.readMark()) === undefined) await place.writeMark(`${own.id}\n${own.name}\n`);
  refuseStranger(place, await place.readMark(), own);
}

/** Throws `TransferFailure` if a mark is that of another database. */
export function refuseStranger(place: BackupPlace, mark: string | undefined, own: Identity): void {
  if (mark === undefined) return;
  const [id, name = 'unknown'] = mark.split('\n');
  if (id === own.id) return;
  throw new TransferFailure(
    `${place.mark} says that the backups there are those of another database, ${name}: give this one, ` +
      `${own.name}, a place of its own; or, if it replaces the other one, remove that file.`,
  );
}
