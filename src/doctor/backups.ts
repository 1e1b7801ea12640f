import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';
import { largerThan, newestOf, openPlace } from '../backups/make.ts';
import { missingPhotos } from '../backups/missing-photos.ts';
import { refuseStranger, type StoredBackup } from '../backups/place.ts';
import { databaseBytes, isOnDiskOf, requireRoom, roomIn } from '../backups/room.ts';
import { bucketAddress, openBucket } from '../photos/bucket.ts';
import type { Config } from '../settings/config.ts';
import { databaseAddress } from '../storage/address.ts';
import { verifyChecksum } from '../storage/checksum.ts';
import { identityOf } from '../storage/identity.ts';
import { reasonOf } from '../storage/transfer/copy.ts';
import { openSource } from '../storage/transfer/open-portable.ts';
import { type Area, type Finding, findingsOf } from './finding.ts';

const { good, advice, bad } = findingsOf('backups');

/** A backup may be late by this much, in milliseconds: the time that it takes, and a restart. */
const LATE_MS = 600_000;

/** So much is read in about a second. */
const CHECKED_BYTES_MAX = 1_073_741_824;

type BackupSettings = Pick<
  Config,
  'backup' | 'backupEveryMs' | 'backupKeep' | 'database' | 'environment'
>;

/** Checks that backups can be written where the settings say, and that the newest is whole and young enough. */
export async function inspectBackups(
  settings: BackupSettings,
  now: number,
): Promise<readonly Finding[]> {
  const { backup: place, backupEveryMs: everyMs, backupKeep: keep } = settings;
  if (place === undefined) {
    const found = 'PETSTORE_BACKUP is not set: the service makes no backups by itself.';
    const todo =
      'Set it to a folder on another disk, or to a bucket, unless something else makes them.';
    return [advice(found, todo)];
  }
  const isBucket = bucketAddress(place) !== undefined;
  try {
    const opened = openPlace({ ...settings, place });
    refuseStranger(opened, await opened.readMark(), await identityOf(settings.database, false));
    const backups = await opened.list();
    const newest = newestOf(backups, now);
    const kept = [
      ageFinding(place, newest?.at, everyMs, now),
      ...keptFindings(backups, newest, keep),
    ];
    if (isBucket) return [...(await inspectBucket('backups', place)), ...kept];
    accessSync(place, constants.W_OK | constants.X_OK);
    const database = fileOf(settings.database);
    requireRoom(
      place,
      database === undefined ? (newest?.bytes ?? 0) : databaseBytes(database),
      database,
    );
    return [
      good(`Files can be made in ${place}.`),
      ...kept,
      ...(await wholeFindings(place, newest)),
      ...roomFindings(place, database, backups, newest, keep),
    ];
  } catch (error) {
    const todo = isBucket
      ? 'Set S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; the key must be allowed to list the bucket.'
      : 'It must be a folder with room, of the user that runs the service, for this database alone.';
    return [bad(`No backup can be made in ${place}: ${reasonOf(error)}`, todo)];
  }
}

function fileOf(database: string): string | undefined {
  const address = databaseAddress(database);
  return address.engine === 'sqlite' ? address.path : undefined;
}

/** What is kept although it is old. */
function keptFindings(
  backups: readonly StoredBackup[],
  newest: StoredBackup | undefined,
  keep: number,
): Finding[] {
  const larger = newest && largerThan(newest, backups);
  if (larger !== undefined) {
    const found = `The newest backup has less than half the size of ${larger.name}, which is kept.`;
    return [advice(found, 'If much was removed on purpose, remove that file.')];
  }
  if (backups.length <= keep) return [];
  const todo =
    'One without animals removes no others: if the shop is meant to be empty, remove them.';
  return [advice(`There are ${backups.length} backups, more than the ${keep} to keep.`, todo)];
}

/** Compares the newest backup with its checksum. */
async function wholeFindings(place: string, newest: StoredBackup | undefined): Promise<Finding[]> {
  if (newest === undefined) return [];
  const path = join(place, newest.name);
  if (newest.bytes > CHECKED_BYTES_MAX) {
    const found = `The newest backup has ${newest.bytes.toLocaleString('en')} bytes and was not read.`;
    return [good(`${found} \`petstore backup --verify ${path}\` does.`)];
  }
  const checked = await verifyChecksum(path);
  if (checked === 'whole') return [good('Its bytes are those of its checksum.')];
  const found = `${path} is ${checked === 'damaged' ? 'damaged' : 'no whole backup'}.`;
  return [bad(found, 'Remove it and restart the service, which then makes another one.')];
}

/** Whether the disk is another one, and holds as many backups as are to be kept. */
function roomFindings(
  place: string,
  database: string | undefined,
  backups: readonly StoredBackup[],
  newest: StoredBackup | undefined,
  keep: number,
): Finding[] {
  const { free, spare } = roomIn(place, database);
  const missing = Math.max(0, keep - backups.length);
  const more = missing * (newest?.bytes ?? 0);
  const left = Math.max(0, free - spare);
  const found: Finding[] = [];
  if (isOnDiskOf(place, database)) {
    const taken = `${place} is on the disk of the database, which takes its backups with it.`;
    found.push(advice(taken, 'Name a folder on another disk, or a bucket.'));
  }
  if (more > free - spare) {
    const tight =
      `${keep} backups do not fit on the disk of ${place}: the next ${missing} need ` +
      `${more.toLocaleString('en')} bytes, and ${left.toLocaleString('en')} are there for them.`;
    found.push(advice(tight, 'Make room, or set PETSTORE_BACKUP_KEEP to less.'));
  }
  return found;
}

function ageFinding(place: string, at: number | undefined, everyMs: number, now: number): Finding {
  if (at === undefined) {
    const todo =
      'A server with this setting makes the first one at its start; its log says if it fails.';
    return advice(`There is no backup in ${place} yet.`, todo);
  }
  const found = `The newest backup is of ${new Date(at).toISOString()}`;
  if (now - at <= 2 * everyMs + LATE_MS) return good(`${found}.`);
  const todo = 'Start a server with this setting; if one runs, its log says why it fails.';
  return bad(`${found}, and a newer one was due.`, todo);
}

/** Checks a bucket: writes a file, reads it and removes it. */
export async function inspectBucket(area: Area, address: string): Promise<readonly Finding[]> {
  const { good, bad } = findingsOf(area);
  const name = `petstore-doctor-${crypto.randomUUID()}`;
  try {
    const bucket = openBucket(address);
    await bucket.put(name, new TextEncoder().encode(name));
    const found = await (await bucket.get(name))?.text();
    await bucket.remove(name);
    if (found === name) return [good(`The bucket ${address} can be written, read and cleared.`)];
    const todo = 'Use a bucket that gives back what was written.';
    return [bad(`The bucket ${address} gave back something else.`, todo)];
  } catch (error) {
    const todo =
      'Set S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; the key must be allowed to get, put and delete objects.';
    return [bad(`The bucket ${address} cannot be used: ${saidBy(error)}.`, todo)];
  }
}

/** What the service of the bucket said. It never contains the secret key. */
function saidBy(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {};
  if (!(cause instanceof Error)) return 'it does not respond';
  const code = 'code' in cause ? `${String(cause.code)}: ` : '';
  return `${code}${cause.message.replace(/\.$/, '')}`;
}

const MISSING_TODO =
  'Put the files back where they were, or send these photos again: backups of the database hold no bytes of a bucket.';

/** Checks the bucket of photos, and that it has the bytes of each. A database that cannot be read is told by others. */
export async function inspectPhotos(
  address: string | undefined,
  database: string,
): Promise<readonly Finding[]> {
  const photos = findingsOf('photos');
  const bucket = address === undefined ? [] : await inspectBucket('photos', address);
  if (bucket.some(({ verdict }) => verdict === 'bad')) return bucket;
  try {
    const source = await openSource(database, 'read');
    try {
      const [missing] = await missingPhotos(source, address);
      if (missing !== undefined) {
        return [...bucket, photos.bad(`There are ${missing}.`, MISSING_TODO)];
      }
      return [...bucket, ...(address ? [photos.good('It has the bytes of all photos.')] : [])];
    } finally {
      await source.close();
    }
  } catch {
    return bucket;
  }
}
