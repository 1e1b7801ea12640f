import { changedFields, changedText } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import {
  PHOTOS_MAX,
  type Photo,
  type PhotoChange,
  type PhotoFileStorage,
  type PhotoStorage,
  tooManyPhotos,
} from '../../domain/photo.ts';
import { fieldsOf, number, plain } from '../fields.ts';
import {
  isIn,
  isTextIn,
  methodsOf,
  type Sql,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { noteParts } from './notes.ts';
import { LOCKED_PET } from './pet-rows.ts';
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

export function photoOf(row: object): Photo {
  const { focusX, focusY, ...photo } = ROW.of(row);
  return { ...photo, focus: { x: focusX / FOCUS_PARTS, y: focusY / FOCUS_PARTS } };
}

const LIST = sql`SELECT ${ROW.columns} FROM photos WHERE pet_id = $1 ORDER BY position`.as(photoOf);
/** The photos of several animals, by animal and in order. */
export const PHOTOS_OF = sql`SELECT ${ROW.columns} FROM photos
    WHERE pet_id ${isIn('$1')} ORDER BY pet_id, position`.as(photoOf);
/** The first photo of each of several animals. */
export const FIRST_PHOTOS =
  sql`SELECT ${ROW.columns} FROM photos WHERE pet_id ${isIn('$1')} AND position = 1`.as(photoOf);
const BY_ID = sql`SELECT ${ROW.columns} FROM photos WHERE pet_id = $1 AND id = $2`.as(photoOf);
const INSERT =
  sql`INSERT INTO photos (pet_id, sha256, alt, position, focus_x, focus_y, width, height)
    VALUES ($1, $2, $3, $4, $5, $5, $6, $7) RETURNING ${ROW.columns}`.as(photoOf);
const SAVE = sql`UPDATE photos SET alt = $2, position = $3, focus_x = $4, focus_y = $5 WHERE id = $1`;
const REMOVE = sql`DELETE FROM photos WHERE id = $1`;
/** Moves the photos from one place to another by one. */
const SHIFT = sql`UPDATE photos SET position = position + $4
  WHERE pet_id = $1 AND position >= $2 AND position <= $3`;
const PET = sql`SELECT id FROM pets WHERE id = $1`.value<bigint>();
/** The SHA-256 of the logo of the shop. */
const LOGO: Sql = {
  sqlite: "json_extract(shop.data, '$.logo.sha256')",
  postgres: "(CAST(shop.data AS json) #>> '{logo,sha256}')",
};
const AUDIENCE = sql`SELECT listed FROM (SELECT
      (SELECT count(*) FROM shop WHERE ${LOGO} = $1) +
      (SELECT count(*) FROM photos JOIN listings ON listings.pet_id = photos.pet_id WHERE sha256 = $1) AS listed
    ) AS counted WHERE listed > 0 OR EXISTS (SELECT 1 FROM photos
    WHERE sha256 = $1)`.value((listed: bigint) => (listed > 0n ? 'public' : 'staff'));

/** The photos of an animal that nobody else can change until the transaction ends. */
function* lockedList(petId: bigint): Work<readonly Photo[] | undefined> {
  const pet = yield* LOCKED_PET.one(petId);
  return pet && (yield* LIST.all(petId));
}

/** Notes a change of a photo from the first of two states to the second. The event shows `photo`. */
function* notePhoto(
  type: `photo.${'added' | 'updated' | 'removed'}`,
  stamp: ChangeStamp,
  photo: Photo,
  ...states: (Photo | undefined)[]
): Work<void> {
  const [before, after] = states.map((state) => state && shownFields(state));
  const changed = changedText(changedFields(before, after));
  yield* noteParts(type, [{ petId: photo.petId, data: publicJson(photo), changed }], stamp);
  yield* noteShown([photo.petId], stamp.at);
}

/** Photos, except their bytes. Whoever changes those of an animal locks the animal. */
export function createPhotoStorage(transactions: Transactions): PhotoStorage {
  const { reads, writes } = methodsOf<PhotoStorage>(transactions);
  return {
    ...reads({
      *list(petId) {
        const found = yield* LIST.all(petId);
        return found.length === 0 && (yield* PET.one(petId)) === undefined ? undefined : found;
      },
      find: (petId, id) => BY_ID.one(petId, id),
      audience: (sha256) => AUDIENCE.one(sha256),
    }),
    ...writes({
      *add(petId, photo, stamp) {
        const known = yield* lockedList(petId);
        if (known === undefined) return undefined;
        const same = known.find(({ sha256 }) => sha256 === photo.sha256);
        if (same !== undefined) return { photo: same, isNew: false };
        if (known.length >= PHOTOS_MAX) throw tooManyPhotos(petId);
        const { sha256, alt, width, height } = photo;
        const values = [known.length + 1, FOCUS_PARTS / 2, width, height];
        const added = yield* INSERT.only(petId, sha256, alt, ...values);
        yield* notePhoto('photo.added', stamp, added, undefined, added);
        return { photo: added, isNew: true };
      },
      *update(petId, id, change, stamp, precondition) {
        const known = (yield* lockedList(petId)) ?? [];
        const photo = known.find((other) => other.id === id);
        if (photo === undefined) return undefined;
        precondition(photo);
        const changed = changedPhoto(photo, change, known.length);
        if (publicJson(changed) === publicJson(photo)) return photo;
        if (changed.position !== photo.position) yield* moveOthers(photo, changed.position);
        const [x, y] = [inParts(changed.focus.x), inParts(changed.focus.y)];
        yield* SAVE.run(id, changed.alt, changed.position, x, y);
        yield* notePhoto('photo.updated', stamp, changed, photo, changed);
        return changed;
      },
      *remove(petId, id, stamp, precondition) {
        const known = (yield* lockedList(petId)) ?? [];
        const photo = known.find((other) => other.id === id);
        if (photo === undefined) return false;
        precondition(photo);
        yield* REMOVE.run(id);
        yield* moveOthers(photo, known.length);
        yield* notePhoto('photo.removed', stamp, photo, photo);
        return true;
      },
    }),
  };
}

/** Makes room for a photo that goes to another place, and closes the gap that it leaves. */
function moveOthers({ petId, position }: Photo, to: number): Work<void> {
  if (to > position) return SHIFT.run(petId, position + 1, to, -1);
  return SHIFT.run(petId, to, position - 1, 1);
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
const FIND = sql`SELECT content FROM photo_files
    WHERE name = $1`.as<{ readonly content: Uint8Array | null }>();
const NAMES =
  sql`SELECT name FROM photo_files WHERE name > $1 ORDER BY name LIMIT $2`.value<string>();
const UNUSED = sql`abs(stored_at) < $3 AND name > $1 AND name <= $2
  AND NOT EXISTS (SELECT 1 FROM photos WHERE sha256 = substr(photo_files.name, 1, 64))
  AND NOT EXISTS (SELECT 1 FROM removed_photos WHERE sha256 = substr(photo_files.name, 1, 64))
  AND NOT EXISTS (SELECT 1 FROM shop WHERE ${LOGO} = substr(photo_files.name, 1, 64))`;
const REMOVE_FILES = sql`DELETE FROM photo_files WHERE name IN (
    SELECT name FROM photo_files WHERE content IS NOT NULL AND ${UNUSED} LIMIT $4
  )`;
const MARK = sql`UPDATE photo_files SET stored_at = -CAST($4 AS bigint) WHERE name IN (
      SELECT name FROM photo_files WHERE content IS NULL AND ${UNUSED} LIMIT $5
    ) RETURNING name`.value<string>();
const FORGET = sql`DELETE FROM photo_files WHERE stored_at = -CAST($2 AS bigint) AND name ${isTextIn('$1')}`;

/** Files of photos. */
export function createPhotoFileStorage(transactions: Transactions): PhotoFileStorage {
  const { reads, writes } = methodsOf<PhotoFileStorage>(transactions);
  return {
    ...reads({ find: (name) => FIND.one(name) }),
    ...writes({
      // In one transaction, because each costs SQLite an fsync, for which all requests wait.
      *put(files, at) {
        for (const { name, content } of files) {
          if ((yield* PUT.changes(name, at, content)) === 0) return false;
        }
        return true;
      },
      /*
       * A photo is added after its files were put, which makes them too young to be removed. So no file is
       * removed whose photo is about to be added, by any process.
       */
      *removeUnused(after, most, before, now, atMost) {
        const names = yield* NAMES.all(after, most);
        const last = names.at(-1);
        if (last === undefined) return { last, removed: 0, marked: [] };
        const removed = yield* REMOVE_FILES.changes(after, last, before, atMost);
        const marked = yield* MARK.all(after, last, before, now, atMost);
        return { last: names.length < most ? undefined : last, removed, marked };
      },
      forget: (names, now) => FORGET.run(JSON.stringify(names), now),
    }),
  };
}
