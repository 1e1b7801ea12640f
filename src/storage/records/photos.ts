import { changedFields, changedText } from '../../domain/audit.ts';
import type { ChangeStamp, Precondition } from '../../domain/change-stamp.ts';
import type { PhotoFile, PhotoFileStorage } from '../../domain/photo.ts';
import {
  type NewPhoto,
  PHOTOS_MAX,
  type Photo,
  type PhotoChange,
  type PhotoStorage,
  tooManyPhotos,
} from '../../domain/photo.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import {
  all,
  changes,
  isIn,
  isTextIn,
  one,
  only,
  query,
  run,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { LOCKED_PET, type RecordWrites } from './pets.ts';
import { noteShown } from './profiles.ts';

/** The focus is stored in millionths. */
const FOCUS_PARTS = 1_000_000;

const ROW = fieldsOf({
  id: plain<bigint>(),
  petId: plain<bigint>(),
  sha256: plain<string>(),
  alt: plain<string>(),
  position: number,
  focusX: number,
  focusY: number,
  width: number,
  height: number,
});

function photoOf(row: object): Photo {
  const { focusX, focusY, ...photo } = ROW.of(row);
  return { ...photo, focus: { x: focusX / FOCUS_PARTS, y: focusY / FOCUS_PARTS } };
}

export const photos = (text: Sql) => query<object, Photo>(photoOf, text);

const LIST = photos(sql`SELECT ${ROW.columns} FROM photos WHERE pet_id = $1 ORDER BY position`);
/** The photos of several animals, by animal and in order. */
export const PHOTOS_OF = photos(
  sql`SELECT ${ROW.columns} FROM photos WHERE pet_id ${isIn('$1')} ORDER BY pet_id, position`,
);
/** The first photo of each of several animals. */
export const FIRST_PHOTOS = photos(
  sql`SELECT ${ROW.columns} FROM photos WHERE pet_id ${isIn('$1')} AND position = 1`,
);
const BY_ID = photos(sql`SELECT ${ROW.columns} FROM photos WHERE pet_id = $1 AND id = $2`);
const INSERT = photos(
  sql`INSERT INTO photos (pet_id, sha256, alt, position, focus_x, focus_y, width, height)
    VALUES ($1, $2, $3, $4, $5, $5, $6, $7) RETURNING ${ROW.columns}`,
);
const SAVE = sql`UPDATE photos SET alt = $2, position = $3, focus_x = $4, focus_y = $5 WHERE id = $1`;
const REMOVE = sql`DELETE FROM photos WHERE id = $1`;
/** Moves the photos from one place to another by one. */
const SHIFT = sql`UPDATE photos SET position = position + $4
  WHERE pet_id = $1 AND position >= $2 AND position <= $3`;
const PET = query(({ id }: { readonly id: bigint }) => id, sql`SELECT id FROM pets WHERE id = $1`);
/** The SHA-256 of the logo of the shop. */
const LOGO: Sql = {
  sqlite: "json_extract(shop.data, '$.logo.sha256')",
  postgres: "(CAST(shop.data AS json) #>> '{logo,sha256}')",
};
const AUDIENCE = query(
  ({ listed }: { readonly listed: bigint }) => (listed > 0n ? 'public' : 'staff'),
  sql`SELECT listed FROM (SELECT
      (SELECT count(*) FROM shop WHERE ${LOGO} = $1) +
      (SELECT count(*) FROM photos JOIN listings ON listings.pet_id = photos.pet_id WHERE sha256 = $1) AS listed
    ) AS counted WHERE listed > 0 OR EXISTS (SELECT 1 FROM photos WHERE sha256 = $1)`,
);

function* list(petId: bigint): Work<readonly Photo[] | undefined> {
  const found = yield* all(LIST, petId);
  if (found.length > 0) return found;
  return (yield* one(PET, petId)) === undefined ? undefined : [];
}

/** The photos of an animal that nobody else can change until the transaction ends. */
function* lockedList(petId: bigint): Work<readonly Photo[] | undefined> {
  const pet = yield* one(LOCKED_PET, petId);
  return pet && (yield* all(LIST, petId));
}

/** Photos, except their bytes. Whoever changes those of an animal locks the animal. */
export function createPhotoStorage(
  { read, write }: Transactions,
  { noteParts }: Pick<RecordWrites, 'noteParts'>,
): PhotoStorage {
  /** Notes a change of a photo from the first of two states to the second. The event shows `photo`. */
  function* note(
    type: PhotoEvent,
    stamp: ChangeStamp,
    photo: Photo,
    ...states: (Photo | undefined)[]
  ): Work<void> {
    const [before, after] = states.map((state) => state && shownFields(state));
    const changed = changedText(changedFields(before, after));
    yield* noteParts(type, [{ petId: photo.petId, data: publicJson(photo), changed }], stamp);
    yield* noteShown([photo.petId], stamp.at);
  }

  function* add(petId: bigint, photo: NewPhoto, stamp: ChangeStamp) {
    const known = yield* lockedList(petId);
    if (known === undefined) return undefined;
    const same = known.find(({ sha256 }) => sha256 === photo.sha256);
    if (same !== undefined) return { photo: same, isNew: false };
    if (known.length >= PHOTOS_MAX) throw tooManyPhotos(petId);
    const { sha256, alt, width, height } = photo;
    const values = [known.length + 1, FOCUS_PARTS / 2, width, height];
    const added = yield* only(INSERT, petId, sha256, alt, ...values);
    yield* note('photo.added', stamp, added, undefined, added);
    return { photo: added, isNew: true };
  }

  function* update(
    petId: bigint,
    id: bigint,
    change: PhotoChange,
    stamp: ChangeStamp,
    precondition: Precondition<Photo>,
  ): Work<Photo | undefined> {
    const known = (yield* lockedList(petId)) ?? [];
    const photo = known.find((other) => other.id === id);
    if (photo === undefined) return undefined;
    precondition(photo);
    const changed = changedPhoto(photo, change, known.length);
    if (publicJson(changed) === publicJson(photo)) return photo;
    if (changed.position !== photo.position) yield* moveOthers(photo, changed.position);
    const [x, y] = [inParts(changed.focus.x), inParts(changed.focus.y)];
    yield* run(SAVE, id, changed.alt, changed.position, x, y);
    yield* note('photo.updated', stamp, changed, photo, changed);
    return changed;
  }

  function* remove(
    petId: bigint,
    id: bigint,
    stamp: ChangeStamp,
    precondition: Precondition<Photo>,
  ): Work<boolean> {
    const known = (yield* lockedList(petId)) ?? [];
    const photo = known.find((other) => other.id === id);
    if (photo === undefined) return false;
    precondition(photo);
    yield* run(REMOVE, id);
    yield* moveOthers(photo, known.length);
    yield* note('photo.removed', stamp, photo, photo);
    return true;
  }

  return {
    list: (petId) => read(() => list(petId)),
    find: (petId, id) => read(() => one(BY_ID, petId, id)),
    add: (petId, photo, stamp) => write(() => add(petId, photo, stamp)),
    update: (petId, id, change, stamp, precondition) =>
      write(() => update(petId, id, change, stamp, precondition)),
    remove: (petId, id, stamp, precondition) => write(() => remove(petId, id, stamp, precondition)),
    audience: (sha256) => read(() => one(AUDIENCE, sha256)),
  };
}

type PhotoEvent = 'photo.added' | 'photo.updated' | 'photo.removed';

/** Makes room for a photo that goes to another place, and closes the gap that it leaves. */
function moveOthers({ petId, position }: Photo, to: number): Work<void> {
  if (to > position) return run(SHIFT, petId, position + 1, to, -1);
  return run(SHIFT, petId, to, position - 1, 1);
}

function inParts(value: number): number {
  return Math.round(value * FOCUS_PARTS);
}

/** Returns a photo with a change applied, as it is stored, among this number of photos. */
function changedPhoto(photo: Photo, change: PhotoChange, count: number): Photo {
  const { alt = photo.alt, position = photo.position, focus = photo.focus } = change;
  const part = (value: number) => inParts(value) / FOCUS_PARTS;
  return {
    ...photo,
    alt,
    position: Math.min(position, count),
    focus: { x: part(focus.x), y: part(focus.y) },
  };
}

/** What the audit shows of a photo. */
const shownFields = ({ alt, position, focus }: Photo) => ({ alt, position, focus: { ...focus } });

/** Returns what an event says of a photo. The service assigned the id, so a number is exact. */
function publicJson({ id, alt, position, focus, width, height }: Photo): string {
  return JSON.stringify({ id: Number(id), alt, position, focus, width, height });
}

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
const UNUSED = sql`abs(stored_at) < $3 AND name > $1 AND name <= $2
  AND NOT EXISTS (SELECT 1 FROM photos WHERE sha256 = substr(photo_files.name, 1, 64))
  AND NOT EXISTS (SELECT 1 FROM removed_photos WHERE sha256 = substr(photo_files.name, 1, 64))
  AND NOT EXISTS (SELECT 1 FROM shop WHERE ${LOGO} = substr(photo_files.name, 1, 64))`;
const REMOVE_FILES = sql`DELETE FROM photo_files WHERE name IN (
    SELECT name FROM photo_files WHERE content IS NOT NULL AND ${UNUSED} LIMIT $4
  )`;
const MARK = query(
  nameOf,
  sql`UPDATE photo_files SET stored_at = -CAST($4 AS bigint) WHERE name IN (
      SELECT name FROM photo_files WHERE content IS NULL AND ${UNUSED} LIMIT $5
    ) RETURNING name`,
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
 * removed whose photo is about to be added, by any process.
 */
function* removeUnused(
  after: string,
  most: number,
  before: number,
  now: number,
  atMost: number,
): Work<Swept> {
  const names = yield* all(NAMES, after, most);
  const last = names.at(-1);
  if (last === undefined) return { last, removed: 0, marked: [] };
  const removed = yield* changes(REMOVE_FILES, after, last, before, atMost);
  const marked = yield* all(MARK, after, last, before, now, atMost);
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
