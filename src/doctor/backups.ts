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

/** This much is read in about a second. */
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
  const { backup: place } = settings;
  if (place === undefined) {
    return [
      advice(`PETSTORE_BACKUP is not set: the service makes no backups by itself.
        → Set it to a folder on another disk, or to a bucket, unless something else makes them.`),
    ];
  }
  try {
    return await Array.fromAsync(placeFindings({ ...settings, place }, now));
  } catch (error) {
    const todo = bucketAddress(place)
      ? 'Set S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; the key must be allowed to list the bucket.'
      : 'It must be a folder with room, of the user that runs the service, for this database alone.';
    return [bad(`No backup can be made in ${place}: ${reasonOf(error)}\n→ ${todo}`)];
  }
}

/** Throws if no backup can be made in a place. */
async function* placeFindings(
  settings: BackupSettings & { readonly place: string },
  now: number,
): AsyncGenerator<Finding> {
  const { place, backupKeep: keep } = settings;
  const opened = openPlace(settings);
  refuseStranger(opened, await opened.readMark(), await identityOf(settings.database, false));
  const backups = await opened.list();
  const newest = newestOf(backups, now);
  if (bucketAddress(place)) {
    yield* await inspectBucket('backups', place);
    yield* keptFindings(settings, backups, newest, now);
    return;
  }
  accessSync(place, constants.W_OK | constants.X_OK);
  const address = databaseAddress(settings.database);
  const database = address.engine === 'sqlite' ? address.path : undefined;
  const bytes = database === undefined ? (newest?.bytes ?? 0) : databaseBytes(database);
  requireRoom(place, bytes, database);
  yield good(`Files can be made in ${place}.`);
  yield* keptFindings(settings, backups, newest, now);
  if (newest !== undefined) yield await wholeFinding(newest, join(place, newest.name));
  if (isOnDiskOf(place, database)) {
    yield advice(`${place} is on the disk of the database, which takes its backups with it.
      → Name a folder on another disk, or a bucket.`);
  }
  const { free, spare } = roomIn(place, database);
  const missing = Math.max(0, keep - backups.length);
  const more = missing * (newest?.bytes ?? 0);
  if (more <= free - spare) return;
  const left = Math.max(0, free - spare).toLocaleString('en');
  yield advice(
    `${keep} backups do not fit on the disk of ${place}: the next ${missing} need ${more.toLocaleString('en')} bytes, and ${left} are there for them.
      → Make room, or set PETSTORE_BACKUP_KEEP to less.`,
  );
}

/** The findings for the age of the newest backup, and for old ones that are kept. */
function* keptFindings(
  { place, backupEveryMs: everyMs, backupKeep: keep }: BackupSettings & { readonly place: string },
  backups: readonly StoredBackup[],
  newest: StoredBackup | undefined,
  now: number,
): Generator<Finding> {
  if (newest === undefined) {
    yield advice(`There is no backup in ${place} yet.
      → A server with this setting makes the first one at its start; its log says if it fails.`);
  } else {
    const found = `The newest backup is of ${new Date(newest.at).toISOString()}`;
    yield now - newest.at <= 2 * everyMs + LATE_MS
      ? good(`${found}.`)
      : bad(`${found}, and a newer one was due.
          → Start a server with this setting; if one runs, its log says why it fails.`);
  }
  const larger = newest && largerThan(newest, backups);
  if (larger !== undefined) {
    yield advice(`The newest backup has less than half the size of ${larger.name}, which is kept.
      → If much was removed on purpose, remove that file.`);
  } else if (backups.length > keep) {
    yield advice(`There are ${backups.length} backups, more than the ${keep} to keep.
      → One without animals removes no others: if the shop is meant to be empty, remove them.`);
  }
}

/** Compares a backup with its checksum. */
async function wholeFinding({ bytes }: StoredBackup, path: string): Promise<Finding> {
  if (bytes > CHECKED_BYTES_MAX) {
    const found = `The newest backup has ${bytes.toLocaleString('en')} bytes and was not read.`;
    return good(`${found} \`petstore backup --verify ${path}\` does.`);
  }
  const checked = await verifyChecksum(path);
  if (checked === 'whole') return good('Its bytes are those of its checksum.');
  return bad(`${path} is ${checked === 'damaged' ? 'damaged' : 'no whole backup'}.
    → Remove it and restart the service, which then makes another one.`);
}

/** Checks a bucket: writes a file, reads it and removes it. */
async function inspectBucket(area: Area, address: string): Promise<readonly Finding[]> {
  const { good, bad } = findingsOf(area);
  const name = `petstore-doctor-${crypto.randomUUID()}`;
  try {
    const bucket = openBucket(address);
    await bucket.put(name, new TextEncoder().encode(name));
    const found = await (await bucket.get(name))?.text();
    await bucket.remove(name);
    if (found === name) return [good(`The bucket ${address} can be written, read and cleared.`)];
    return [
      bad(`The bucket ${address} gave back something else.
        → Use a bucket that gives back what was written.`),
    ];
  } catch (error) {
    const todo =
      'Set S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; the key must be allowed to get, put and delete objects.';
    return [bad(`The bucket ${address} cannot be used: ${saidBy(error)}.\n→ ${todo}`)];
  }
}

/** What the service of the bucket said. It never contains the secret key. */
function saidBy(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {};
  if (!(cause instanceof Error)) return 'it does not respond';
  const code = 'code' in cause ? `${String(cause.code)}: ` : '';
  return `${code}${cause.message.replace(/\.$/, '')}`;
}

/** Checks the bucket of photos, and that it has all of them. Other findings report a database that cannot be read. */
export async function inspectPhotos(
  address: string | undefined,
  database: string,
): Promise<readonly Finding[]> {
  const { good, bad } = findingsOf('photos');
  const bucket = address === undefined ? [] : await inspectBucket('photos', address);
  if (bucket.some(({ verdict }) => verdict === 'bad')) return bucket;
  try {
    const source = await openSource(database, 'read');
    const [missing] = await missingPhotos(source, address).finally(() => source.close());
    if (missing === undefined) {
      return [...bucket, ...(address ? [good('It has the bytes of all photos.')] : [])];
    }
    return [
      ...bucket,
      bad(`There are ${missing}.
        → Put the files back where they were, or send these photos again: backups of the database hold no bytes of a bucket.`),
    ];
  } catch {
    return bucket;
  }
}
