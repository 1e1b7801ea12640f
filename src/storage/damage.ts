import { photoFileNames } from '../domain/photo.ts';

/** The most missing items that are named. */
const NAMED_MAX = 3;

/** Photos whose files are not all stored, on both engines: the animals, once for each missing file. */
export const MISSING_FILES = `SELECT DISTINCT photos.pet_id AS "petId" FROM photos CROSS JOIN (
    SELECT 320 AS most, 'webp' AS kind UNION ALL SELECT 640, 'webp' UNION ALL SELECT 1280, 'webp'
    UNION ALL SELECT 1280, 'jpg' UNION ALL SELECT 2147483647, 'jpg'
  ) AS each
  WHERE NOT EXISTS (
    SELECT 1 FROM photo_files WHERE name = photos.sha256 || '-'
      || CASE WHEN photos.width < each.most THEN photos.width ELSE each.most END || '.' || each.kind
  ) ORDER BY 1`;

/** Photos whose bytes are in a bucket, in the order of their hashes, after one of them: on both engines. */
export const IN_BUCKET = `SELECT photos.sha256, min(photos.width) AS width, min(photos.pet_id) AS "petId"
  FROM photos JOIN photo_files ON name = photos.sha256 || '-' || photos.width || '.jpg'
  WHERE content IS NULL AND photos.sha256 > $1
  GROUP BY photos.sha256 ORDER BY photos.sha256 LIMIT 500`;

/** A photo whose bytes are in a bucket, with one of the animals that it shows. */
export interface PhotoInBucket {
  readonly sha256: string;
  readonly width: number | bigint;
  readonly petId: number | bigint;
}

/** A database that knows which photos have their bytes in a bucket. */
export interface PhotosInBucket {
  /** The next photos, in the order of their hashes. */
  photosInBucket(after: string): Promise<readonly PhotoInBucket[]>;
}

/** Says which animals have photos whose files a bucket lacks. `names` are those in it, in the order of their bytes. */
export async function missingInBucket(
  database: PhotosInBucket,
  names: AsyncIterator<string, undefined>,
): Promise<string[]> {
  const lacking: PhotoInBucket[] = [];
  let name = await names.next();
  let photos = await database.photosInBucket('');
  while (photos.length > 0) {
    for (const photo of photos) {
      const expected = new Set(
        Object.values(photoFileNames({ sha256: photo.sha256, width: Number(photo.width) })),
      );
      while (!name.done && name.value < `${photo.sha256}~`) {
        expected.delete(name.value);
        name = await names.next();
      }
      if (expected.size > 0) lacking.push(photo);
    }
    photos = await database.photosInBucket(photos.at(-1)?.sha256 ?? '');
  }
  return missingFiles(lacking);
}

/** Says which animals have photos without their files. */
export function missingFiles(rows: readonly { readonly petId: bigint | number }[]): string[] {
  const animals = rows.map(({ petId }) => String(petId));
  return animals.length === 0 ? [] : [`photos without their files, of animals ${named(animals)}`];
}

/** Says which indexes or triggers of the schema are missing. */
export function missingParts(expected: Iterable<string>, found: Iterable<string>): string[] {
  const there = new Set(found);
  const missing = [...expected].filter((name) => !there.has(name));
  return missing.length === 0 ? [] : [`indexes or triggers are missing: ${named(missing)}`];
}

function named(all: readonly string[]): string {
  const more = all.length - NAMED_MAX;
  return all.slice(0, NAMED_MAX).join(', ') + (more > 0 ? ` and ${more} more` : '');
}
