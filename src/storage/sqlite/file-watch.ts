import {
  copyFileSync,
  existsSync,
  fstatSync,
  readdirSync,
  readlinkSync,
  readSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  truncateSync,
} from 'node:fs';
import type { WalIndex } from './wal-index.ts';

/** Watches whether the files at a path are still those that a connection has open. */
interface FileWatch {
  /**
   * Returns whether the file was ever replaced, overwritten or removed. Takes microseconds. If so, moves the log away,
   * which SQLite would otherwise apply to the new file.
   */
  isReplaced(): boolean;
  /** The same, and true too if the log was removed: what is written to it would be lost. */
  isIncomplete(): boolean;
}

type FileId = Pick<Stats, 'dev' | 'ino'>;

const DESCRIPTORS = '/proc/self/fd';
/** The end of the link of a descriptor whose file was deleted. */
const DELETED = ' (deleted)';

/** Returns the descriptors of this process; none on a system without /proc. */
export function openDescriptors(): readonly number[] {
  if (!existsSync(DESCRIPTORS)) return [];
  // The listing has one of its own, which is closed by now.
  return readdirSync(DESCRIPTORS)
    .map(Number)
    .filter((each) => idOf(each) !== undefined);
}

/**
 * Watches the file at a path, which was opened after the descriptors `before` were listed. `id` is that of the database.
 * Reads with the descriptor of SQLite: closing a second one would release the locks of this process on the file.
 */
export function watchFile(
  path: string,
  before: readonly number[],
  id: string,
  walIndex: WalIndex | undefined,
): FileWatch {
  const file = idOf(path);
  // In memory.
  if (file === undefined) return { isReplaced: () => false, isIncomplete: () => false };
  // SQLite keeps the files beside the one that a link leads to.
  const place = realpathSync(path);
  const [log, index] = [idOf(`${place}-wal`), idOf(`${place}-shm`)];
  const isNew = (each: number) => !before.includes(each) && isSame(idOf(each), file);
  const descriptor = openDescriptors().find(isNew);
  const isForeign = descriptor === undefined ? () => false : watchStart(descriptor, id, walIndex);
  let isReplaced = false;

  /**
   * Moves the log to where its file was moved, or else out of the way. If the file was overwritten, leaves only a copy:
   * SQLite would write the log into the new content when this process ends.
   */
  function moveLog(isOverwritten: boolean): void {
    const moved = descriptor === undefined ? DELETED : readlinkSync(`${DESCRIPTORS}/${descriptor}`);
    const isElsewhere = moved !== place && !moved.endsWith(DELETED);
    const target = isElsewhere ? `${moved}-wal` : `${place}-replaced-wal`;
    try {
      if (isSame(idOf(`${place}-wal`), log)) {
        if (isOverwritten) {
          copyFileSync(`${place}-wal`, target);
          truncateSync(`${place}-wal`);
          rmSync(`${place}-wal`);
        } else if (!existsSync(target)) renameSync(`${place}-wal`, target);
      }
      if (isSame(idOf(`${place}-shm`), index)) rmSync(`${place}-shm`, { force: true });
    } catch {
      // The folder may be gone too, or not be ours.
    }
  }

  function check(): boolean {
    if (isReplaced) return true;
    const isOther = !isSame(idOf(path), file);
    isReplaced = isOther || isForeign();
    if (isReplaced) moveLog(!isOther);
    return isReplaced;
  }

  return {
    isReplaced: check,
    isIncomplete: () => check() || (log !== undefined && !isSame(idOf(`${place}-wal`), log)),
  };
}

/** Returns the identity of the file at a path, or of a descriptor; undefined if there is none. */
function idOf(file: string | number): FileId | undefined {
  if (typeof file === 'string') return statSync(file, { throwIfNoEntry: false });
  try {
    return fstatSync(file);
  } catch {
    // It was closed.
    return undefined;
  }
}

function isSame(one: FileId | undefined, other: FileId | undefined): boolean {
  return one !== undefined && one.dev === other?.dev && one.ino === other.ino;
}

/** The first two pages of a database file: its header, and the first table, `deployment`, with the mark in its row. */
const START_BYTES = 8_192;
const MAGIC = 'SQLite format 3\0';
/** Digits at the end of the mark. */
const NUMBER_DIGITS = 12;

/**
 * Returns a function that finds whether another database, or an older state of this one, was written over the file
 * that is open. `id` is that of the database.
 */
function watchStart(descriptor: number, id: string, index: WalIndex | undefined): () => boolean {
  let known = Buffer.alloc(0);
  let checkpoints: string | undefined;
  // None for a new database, whose row is in its log alone until the first checkpoint.
  let mark = '';

  return () => {
    const start = Buffer.alloc(START_BYTES);
    const bytes = readSync(descriptor, start, 0, START_BYTES, 0);
    // Read afterwards: a checkpoint announces what it is about to write.
    const now = index?.checkpoints();
    const isWritten = now === undefined || now !== checkpoints;
    checkpoints = now;
    if (start.equals(known)) return false;
    const at = start.indexOf(`${id}:`);
    const found = at < 0 ? '' : start.toString('latin1', at, at + id.length + 1 + NUMBER_DIGITS);
    const isWhole = bytes > MAGIC.length && start.toString('latin1', 0, MAGIC.length) === MAGIC;
    if (!isWhole || !isWritten || found < mark) return true;
    [known, mark] = [start, found];
    return false;
  };
}
