import { missingPhotos } from '../backups/missing-photos.ts';
import { openSource } from '../storage/transfer/open-portable.ts';
import { inspectBucket } from './backups.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, bad } = findingsOf('photos');

const MISSING_TODO =
  'Put the files back where they were, or send these photos again: backups of the database hold no bytes of a bucket.';

/** Checks the bucket of photos, and that it has the bytes of each. A database that cannot be read is told by others. */
export async function inspectPhotos(
  address: string | undefined,
  database: string,
): Promise<readonly Finding[]> {
  const bucket = address === undefined ? [] : await inspectBucket('photos', address);
  if (bucket.some(({ verdict }) => verdict === 'bad')) return bucket;
  try {
    const source = await openSource(database, 'read');
    try {
      const [missing] = await missingPhotos(source, address);
      if (missing !== undefined) {
        return [...bucket, bad(`There are ${missing}.`, MISSING_TODO)];
      }
      return [...bucket, ...(address ? [good('It has the bytes of all photos.')] : [])];
    } finally {
      await source.close();
    }
  } catch {
    return bucket;
  }
}
