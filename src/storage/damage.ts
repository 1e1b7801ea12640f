/** How many of what is missing are named. */
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
