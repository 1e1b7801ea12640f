import type { PhotoFile, PhotoFileStorage } from '../../domain/photo.ts';
import {
  all,
  changes,
  isTextIn,
  one,
  query,
  run,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';

/** A row that the sweep has marked is refused: the file may be gone from its bucket a moment later. */
const PUT = sql`INSERT INTO photo_files (name, stored_at, content) VALUES ($1, $2, $3)
  ON CONFLICT (name) DO UPDATE SET stored_at = excluded.stored_at,
    content = coalesce(photo_files.content, excluded.content)
  WHERE photo_files.stored_at >= 0`;
const FIND = query(
  (row: { readonly content: Uint8Array | null }) => row,
  sql`SELECT content FROM photo_files WHERE name = $1`,
);
const nameOf = ({ name }: { readonly name: string }) => name;
const NAMES = query(
  nameOf,
  sql`SELECT name FROM photo_files WHERE name > $1 ORDER BY name LIMIT $2`,
);
const UNUSED = `abs(stored_at) < $3 AND name > $1 AND name <= $2
  AND NOT EXISTS (SELECT 1 FROM photos WHERE sha256 = substr(photo_files.name, 1, 64))
  AND NOT EXISTS (SELECT 1 FROM removed_photos WHERE sha256 = substr(photo_files.name, 1, 64))`;
const REMOVE = sql`DELETE FROM photo_files WHERE content IS NOT NULL AND ${UNUSED}`;
const MARK = query(
  nameOf,
  sql`UPDATE photo_files SET stored_at = -CAST($4 AS bigint) WHERE content IS NULL AND ${UNUSED} RETURNING name`,
);
const FORGET = sql`DELETE FROM photo_files WHERE stored_at = -CAST($2 AS bigint) AND name ${isTextIn('$1')}`;

/** In one transaction, because each costs SQLite an fsync, for which all requests wait. */
function* put(files: readonly PhotoFile[], at: number): Work<boolean> {
  for (const { name, content } of files) {
    if ((yield* changes(PUT, name, at, content)) === 0) return false;
  }
  return true;
}

type Swept = Awaited<ReturnType<PhotoFileStorage['removeUnused']>>;

/**
 * A photo is added after its files were put, which makes them too young to be removed. So no file is
 * removed whose photo is about to be added, whoever does either.
 */
function* removeUnused(after: string, most: number, before: number, now: number): Work<Swept> {
  const names = yield* all(NAMES, after, most);
  const last = names.at(-1);
  if (last === undefined) return { last, removed: 0, marked: [] };
  const removed = yield* changes(REMOVE, after, last, before);
  const marked = yield* all(MARK, after, last, before, now);
  return { last: names.length < most ? undefined : last, removed, marked };
}

/** Files of photos. */
export function createPhotoFileStorage({ read, write }: Transactions): PhotoFileStorage {
  return {
    put: (files, at) => write(() => put(files, at)),
    find: (name) => read(() => one(FIND, name)),
    removeUnused: (...step) => write(() => removeUnused(...step)),
    forget: (names, now) => write(() => run(FORGET, JSON.stringify(names), now)),
  };
}
