import { openBucket } from '../photos/bucket.ts';
import { missingInBucket, type PhotosInBucket } from '../storage/damage.ts';

/**
 * Finds photos whose bytes should be in the bucket of PETSTORE_PHOTOS, and are not: a phrase each. Throws if the bucket
 * cannot be read.
 */
export async function missingPhotos(
  database: PhotosInBucket,
  address: string | undefined,
): Promise<string[]> {
  if (address !== undefined) return missingInBucket(database, openBucket(address).names());
  const [found] = await database.photosInBucket('');
  return found ? ['photos in a bucket, which PETSTORE_PHOTOS does not name'] : [];
}
