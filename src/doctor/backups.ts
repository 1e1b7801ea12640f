import { accessSync, constants } from 'node:fs';
import { newestOf, openPlace } from '../backups/make.ts';
import { bucketAddress, openBucket } from '../photos/bucket.ts';
import type { Config } from '../settings/config.ts';
import { reasonOf } from '../storage/transfer/copy.ts';
import { type Area, advice, type Finding, failed, passed } from './finding.ts';

/** A backup may be late by this much, in milliseconds: the time that it takes, and a restart. */
const LATE_MS = 600_000;

/** Checks that backups can be written where the settings say, and that the newest is young enough. */
export async function inspectBackups(
  settings: Pick<Config, 'backup' | 'backupEveryMs' | 'database' | 'environment'>,
  now: number,
): Promise<readonly Finding[]> {
  const { backup: place, backupEveryMs: everyMs } = settings;
  if (place === undefined) return [];
  const isBucket = bucketAddress(place) !== undefined;
  try {
    const backups = await openPlace({ ...settings, place }).list();
    const age = ageFinding(place, newestOf(backups, now)?.at, everyMs, now);
    if (isBucket) return [...(await inspectBucket('backups', place)), age];
    accessSync(place, constants.W_OK | constants.X_OK);
    return [passed('backups', `Files can be made in ${place}.`), age];
  } catch (error) {
    const todo = isBucket
      ? 'Set S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; the key must be allowed to list the bucket.'
      : 'Make the folder, and give it to the user that runs the service.';
    return [failed('backups', `No backup can be made in ${place}: ${reasonOf(error)}`, todo)];
  }
}

function ageFinding(place: string, at: number | undefined, everyMs: number, now: number): Finding {
  if (at === undefined) {
    const todo =
      'A server with this setting makes the first one at its start; its log says if it fails.';
    return advice('backups', `There is no backup in ${place} yet.`, todo);
  }
  const found = `The newest backup is of ${new Date(at).toISOString()}`;
  if (now - at <= 2 * everyMs + LATE_MS) return passed('backups', `${found}.`);
  return failed(
    'backups',
    `${found}, and a newer one was due.`,
    'Start a server with this setting; if one runs, its log says why it fails.',
  );
}

/** Checks a bucket: writes a file, reads it and removes it. */
export async function inspectBucket(area: Area, address: string): Promise<readonly Finding[]> {
  const name = `petstore-doctor-${crypto.randomUUID()}`;
  const sent = new TextEncoder().encode(name);
  try {
    const bucket = openBucket(address);
    await bucket.put(name, sent);
    const found = await bucket.get(name);
    await bucket.remove(name);
    if ((await found?.text()) !== name) {
      const todo = 'Use a bucket that gives back what was written.';
      return [failed(area, `The bucket ${address} gave back something else.`, todo)];
    }
    return [passed(area, `The bucket ${address} can be written, read and cleared.`)];
  } catch (error) {
    return [
      failed(
        area,
        `The bucket ${address} cannot be used: ${saidBy(error)}.`,
        'Set S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; the key must be allowed to get, put and delete objects.',
      ),
    ];
  }
}

/** What the service of the bucket said. It never contains the secret key. */
function saidBy(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {};
  if (!(cause instanceof Error)) return 'it does not respond';
  const code = 'code' in cause ? `${String(cause.code)}: ` : '';
  return `${code}${cause.message.replace(/\.$/, '')}`;
}
