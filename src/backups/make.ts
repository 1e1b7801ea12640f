import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from '../domain/deployment.ts';
import { bucketAddress } from '../photos/bucket.ts';
import { addressName, databaseAddress } from '../storage/address.ts';
import { lockBackups } from '../storage/backup-lock.ts';
import { identityOf } from '../storage/identity.ts';
import { backUp } from '../storage/transfer/backup.ts';
import { continueAfter, type Progress, reasonOf } from '../storage/transfer/copy.ts';
import { openSource } from '../storage/transfer/open-portable.ts';
import { createBucket } from './bucket.ts';
import { createFolder } from './folder.ts';
import { missingPhotos } from './missing-photos.ts';
import { type BackupPlace, claimPlace, nameOf, type StoredBackup } from './place.ts';
import { databaseBytes } from './room.ts';

/** What to back up, where to, and how often. */
export interface BackupOrder {
  /** The address of the database. */
  readonly database: string;
  readonly environment: Environment;
  /** A folder, or `s3://BUCKET/PREFIX`. */
  readonly place: string;
  /** Milliseconds between two backups. */
  readonly everyMs: number;
  /** The number of backups to keep; older ones are removed. */
  readonly keep: number;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Looks for damage in the database first. */
  readonly checks: boolean;
  /** Where the bytes of photos are, `s3://BUCKET/PREFIX`; undefined: in the database. */
  readonly photos?: string | undefined;
}

/** The outcome of an order. */
export interface BackupOutcome {
  /** `current`: another is young enough. `busy`: another process makes one. */
  readonly result: 'made' | 'current' | 'busy' | 'failed';
  /** Why it failed, as a sentence. */
  readonly problem?: string;
  /** The newest backup; undefined if there is none, or it is not known. */
  readonly newest?: StoredBackup | undefined;
  /** Damage found in the database; undefined if it was not checked. */
  readonly damage?: readonly string[];
  /** What could not be checked, as a sentence. */
  readonly unchecked?: string;
  /** How many old ones were removed. */
  readonly removed?: number;
  /** Why old ones were not removed, as a sentence. */
  readonly notice?: string | undefined;
}

/** Opens the place of backups. */
export function openPlace({
  database,
  environment,
  place,
}: Pick<BackupOrder, 'database' | 'environment' | 'place'>): BackupPlace {
  const address = databaseAddress(database);
  const own = address.engine === 'sqlite' ? address.path : undefined;
  if (bucketAddress(place) === undefined) return createFolder(place, environment, own);
  return createBucket(place, environment, stagingOf(database), own);
}

/** The folder for files on their way to a bucket: there is room for data beside the database. */
function stagingOf(database: string): string {
  const address = databaseAddress(database);
  const folder = address.engine === 'sqlite' ? dirname(address.path) : tmpdir();
  const mark = Bun.SHA256.hash(addressName(database), 'hex').slice(0, 16);
  return join(folder, `petstore-backup-${mark}`);
}

/** Makes a backup if the newest is too old, and removes the oldest beyond those to keep. Never throws. */
export async function makeBackup(order: BackupOrder, progress: Progress): Promise<BackupOutcome> {
  let newest: StoredBackup | undefined;
  let checked: Checked = {};
  try {
    const place = openPlace(order);
    const release = await lockBackups(order.database);
    if (release === undefined) return { result: 'busy' };
    try {
      if (order.checks) checked = await check(order, progress);
      // Whose backups they are comes first: those of another database say nothing.
      await claimPlace(place, await identityOf(order.database, true));
      newest = newestOf(await place.list(), order.now);
      if (isCurrent(newest, order)) return { result: 'current', newest, ...checked };
      place.clean();
      const made = await makeIn(place, order, newest, progress);
      newest = made.backup;
      // A damaged database must not replace what was good.
      const isGood = (checked.damage ?? []).length === 0;
      const removal = isGood ? await removeOld(place, order, made) : { removed: 0 };
      return { result: 'made', newest, ...checked, ...removal };
    } finally {
      release();
    }
  } catch (error) {
    return { result: 'failed', problem: reasonOf(error), newest, ...checked };
  }
}

type Checked = Pick<BackupOutcome, 'damage' | 'unchecked'>;

async function check({ database, photos }: BackupOrder, progress: Progress): Promise<Checked> {
  const source = await openSource(database, 'read');
  try {
    const damage = await source.findDamage(() => continueAfter(progress));
    try {
      return { damage: [...damage, ...(await missingPhotos(source, photos))] };
    } catch (error) {
      return { damage, unchecked: reasonOf(error) };
    }
  } finally {
    await source.close();
  }
}

/** Returns the newest backup; ignores those that a wrong clock dated in the future. */
export function newestOf(backups: readonly StoredBackup[], now: number): StoredBackup | undefined {
  return backups.findLast(({ at }) => at <= now);
}

function isCurrent(newest: StoredBackup | undefined, { now, everyMs }: BackupOrder): boolean {
  return newest !== undefined && now - newest.at < everyMs;
}

async function makeIn(
  place: BackupPlace,
  { database, environment, now }: BackupOrder,
  last: StoredBackup | undefined,
  progress: Progress,
): Promise<Made> {
  const address = databaseAddress(database);
  const own = address.engine === 'sqlite' ? address.path : undefined;
  const source = await openSource(database, 'read');
  try {
    const name = nameOf(environment, now);
    const expected = own === undefined ? (last?.bytes ?? 0) : databaseBytes(own);
    let animals = 0;
    const bytes = await place.store(name, expected, async (path) => {
      const counts = await backUp(source, { path, force: false, own }, progress);
      animals = counts.get('pets') ?? 0;
    });
    return { backup: { name, at: Math.floor(now / 1_000) * 1_000, bytes }, animals };
  } finally {
    await source.close();
  }
}

/** A backup that was just made. */
interface Made {
  readonly backup: StoredBackup;
  readonly animals: number;
}

/**
 * Removes the oldest beyond those to keep. A database that was lost or emptied must not replace what was good: a backup
 * without animals removes none, and the newest that is more than twice as large stays.
 */
async function removeOld(
  place: BackupPlace,
  { keep }: BackupOrder,
  { backup, animals }: Made,
): Promise<Pick<BackupOutcome, 'removed' | 'notice'>> {
  // Backups that a wrong clock dated in the future must not replace real ones.
  const others = (await place.list()).filter(
    ({ name, at }) => name !== backup.name && at <= backup.at,
  );
  const old = others.slice(0, Math.max(0, others.length + 1 - keep));
  const good = largerThan(backup, others);
  const removed = old.filter(({ name }) => animals > 0 && name !== good?.name);
  for (const { name } of removed) await place.remove(name);
  return {
    removed: removed.length,
    notice: removed.length === old.length ? undefined : noticeOf(animals, good),
  };
}

/** Returns the newest backup that is more than twice as large as another. */
export function largerThan(
  { bytes }: StoredBackup,
  others: readonly StoredBackup[],
): StoredBackup | undefined {
  return others.findLast((other) => other.bytes > 2 * bytes);
}

function noticeOf(animals: number, good: StoredBackup | undefined): string {
  if (animals > 0) {
    return `the new backup has less than half the size of ${good?.name}, which is not removed`;
  }
  return 'the new backup holds no animals, so no old one is removed';
}
