import { statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Environment } from '../domain/deployment.ts';
import { bucketAddress } from '../photos/bucket.ts';
import { addressName, databaseAddress } from '../storage/address.ts';
import { lockBackups } from '../storage/backup-lock.ts';
import { backUp } from '../storage/transfer/backup.ts';
import { type Progress, reasonOf } from '../storage/transfer/copy.ts';
import { openSource } from '../storage/transfer/open-portable.ts';
import { createBucket } from './bucket.ts';
import { createFolder } from './folder.ts';
import { type BackupPlace, nameOf, type StoredBackup } from './place.ts';

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
}

/** What came of an order. */
export interface BackupOutcome {
  /** `current`: another is young enough. `busy`: another process makes one. */
  readonly result: 'made' | 'current' | 'busy' | 'failed';
  /** Why it failed, as a sentence. */
  readonly problem?: string;
  /** The newest backup; undefined if there is none, or it is not known. */
  readonly newest?: StoredBackup | undefined;
  /** How many old ones were removed. */
  readonly removed?: number;
}

/** Opens the place of backups. */
export function openPlace({
  database,
  environment,
  place,
}: Pick<BackupOrder, 'database' | 'environment' | 'place'>): BackupPlace {
  if (bucketAddress(place) === undefined) return createFolder(place, environment);
  return createBucket(place, environment, stagingOf(database));
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
  try {
    const place = openPlace(order);
    newest = newestOf(await place.list(), order.now);
    if (isCurrent(newest, order)) return { result: 'current', newest };
    const release = await lockBackups(order.database);
    if (release === undefined) return { result: 'busy', newest };
    try {
      // Another process may have made one before this one had the lock.
      newest = newestOf(await place.list(), order.now);
      if (isCurrent(newest, order)) return { result: 'current', newest };
      place.clean();
      newest = await makeIn(place, order, newest, progress);
      return { result: 'made', newest, removed: await removeOld(place, order, newest) };
    } finally {
      release();
    }
  } catch (error) {
    return { result: 'failed', problem: reasonOf(error), newest };
  }
}

/** Returns the newest backup; those of a future that a wrong clock made up do not count. */
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
): Promise<StoredBackup> {
  const address = databaseAddress(database);
  const own = address.engine === 'sqlite' ? address.path : undefined;
  const source = await openSource(database, 'read');
  try {
    const name = nameOf(environment, now);
    const expected = own === undefined ? (last?.bytes ?? 0) : statSync(own).size;
    const bytes = await place.store(name, expected, (path) =>
      backUp(source, { path, force: false, own }, progress),
    );
    return { name, at: Math.floor(now / 1_000) * 1_000, bytes };
  } finally {
    await source.close();
  }
}

async function removeOld(
  place: BackupPlace,
  { keep }: BackupOrder,
  made: StoredBackup,
): Promise<number> {
  // Those of a future that a wrong clock made up must not replace real ones.
  const others = (await place.list()).filter(({ name, at }) => name !== made.name && at <= made.at);
  const old = others.slice(0, Math.max(0, others.length + 1 - keep));
  for (const { name } of old) await place.remove(name);
  return old.length;
}
