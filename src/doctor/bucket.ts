import { openBucket } from '../photos/bucket.ts';
import { type Area, type Finding, failed, passed } from './finding.ts';

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
        `The bucket ${address} cannot be used: ${reasonOf(error)}.`,
        'Set S3_ENDPOINT, S3_REGION, S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY; the key must be allowed to get, put and delete objects.',
      ),
    ];
  }
}

/** What the service of the bucket said. It never contains the secret key. */
function reasonOf(error: unknown): string {
  const { cause = error } = error instanceof Error ? error : {};
  if (!(cause instanceof Error)) return 'it does not respond';
  const code = 'code' in cause ? `${String(cause.code)}: ` : '';
  return `${code}${cause.message.replace(/\.$/, '')}`;
}
