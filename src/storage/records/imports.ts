import { changedFields } from '../../domain/audit.ts';
import { DAY_MS } from '../../domain/clock.ts';
import {
  type AnimalCounts,
  CANCELLED,
  CHOICES_KEPT_MS,
  countsAfter,
  IMPORTS_KEPT_MS,
  type ImportClaim,
  type ImportRecord,
  type ImportState,
  type ImportStatus,
  type ImportStep,
  type ImportStorage,
  INTERRUPTED,
  type NewImport,
  NO_ANIMALS,
  NO_ROWS,
} from '../../domain/import.ts';
import { requireKeyRight } from '../../domain/key-lifecycle.ts';
import type { ImportOutcome } from '../../domain/pet.ts';
import { isChosen, skipLocked } from '../chosen-rows.ts';
import {
  assignments,
  fieldsOf,
  json,
  number,
  numberOrNull,
  parameters,
  plain,
  valuesOf,
} from '../fields.ts';
import { listed } from '../lists.ts';
import {
  forUpdate,
  isTextIn,
  methodsOf,
  sql,
  type Transactions,
  type Work,
} from '../statements.ts';
import { KEY_BY_ID } from './keys.ts';
import { noteAudit } from './notes.ts';
import type { ImportBatch } from './pets.ts';

/** An import in its row. The JSON is what the functions here wrote. */
const IMPORT = fieldsOf(
  {
    id: plain<bigint>(),
    keyId: plain<bigint>(),
    dryRun: (cell: bigint) => cell === 1n,
    status: plain<ImportStatus>(),
    createdAt: number,
    endedAt: numberOrNull,
    rows: json<ImportRecord['rows']>,
    animals: json<AnimalCounts>,
    rejectedRows: json<ImportRecord['rejectedRows']>,
    failure: json<ImportRecord['failure']>,
    header: plain<string | null>(),
    choices: plain<string>(),
  },
  { rows: 'row_counts', animals: 'animal_counts', failure: "coalesce(failure, 'null')" },
);

/** What a batch needs to know of its import. */
const PROGRESS = fieldsOf({ animalCounts: json<AnimalCounts>, steps: number });

const NEW_COLUMNS =
  'key_id, dry_run, status, created_at, row_counts, animal_counts, rejected_rows, owner, lease_ends_at, steps, choices';
const STATE_COLUMNS = 'status, ended_at, row_counts, rejected_rows, failure, header, lease_ends_at';

const CLAIMED = 'id = $1 AND owner = $2 AND ended_at IS NULL';
/** A clock that was ahead leaves a lease that does not end. */
const ABANDONED = `ended_at IS NULL AND (lease_ends_at <= $1 OR lease_ends_at > $1 + ${DAY_MS})`;

const INSERT = sql`INSERT INTO imports (${NEW_COLUMNS}) VALUES (${parameters(NEW_COLUMNS)})
    RETURNING ${IMPORT.columns}`.as(IMPORT);
const BY_ID = sql`SELECT ${IMPORT.columns} FROM imports WHERE id = $1`.as(IMPORT);
const LIST = sql`SELECT ${IMPORT.columns} FROM imports`.as(IMPORT);
const SAVE = sql`UPDATE imports SET ${assignments(STATE_COLUMNS, 3)} WHERE ${CLAIMED}`;
/** Locks the row until the commit, so that no other process can end the import meanwhile. */
const LOCK = sql`SELECT ${PROGRESS.columns} FROM imports WHERE ${CLAIMED} ${forUpdate}`.as(
  PROGRESS,
);
const ADVANCE = sql`UPDATE imports
  SET row_counts = $2, animal_counts = $3, steps = $4, lease_ends_at = $5 WHERE id = $1`;
const RENEW = sql`UPDATE imports SET lease_ends_at = $1 WHERE owner = $2 AND ended_at IS NULL`;
const CANCEL = sql`UPDATE imports SET status = 'failed', ended_at = $2, failure = $3
  WHERE id = $1 AND ended_at IS NULL`;
const ANY_ABANDONED = sql`SELECT id FROM imports WHERE ${ABANDONED} LIMIT 1`.value<bigint>();
const FAIL_ABANDONED = sql`UPDATE imports SET status = 'failed', ended_at = $1, failure = $2
    WHERE ${ABANDONED} RETURNING ${IMPORT.columns}`.as(IMPORT);
const SWEEP = sql`DELETE FROM imports WHERE id IN (
    SELECT id FROM imports AS old WHERE ended_at <= $1 AND (
      header IS NULL OR dry_run = 1 OR ended_at <= $1 - ${CHOICES_KEPT_MS - IMPORTS_KEPT_MS}
      OR EXISTS (SELECT 1 FROM imports AS newer WHERE newer.header = old.header AND newer.id > old.id AND newer.dry_run = 0)
    ) ORDER BY ended_at LIMIT $2
  )`;
/** `$1` and `$2` choose rows: the outer condition holds on PostgreSQL too if an import was quicker. */
const OLD_ROWS = sql`removed_at <= $1 AND external_id ${isChosen(sql`
    SELECT external_id FROM imported_rows WHERE removed_at <= $1
    ORDER BY removed_at LIMIT $2 ${skipLocked}`)}`;
const HAS_ANIMAL = 'EXISTS (SELECT 1 FROM pets WHERE pets.external_id = imported_rows.external_id)';
/** An animal was brought back, or added again from another file. */
const KEEP_ROWS = sql`UPDATE imported_rows SET removed_at = NULL WHERE ${OLD_ROWS} AND ${HAS_ANIMAL}`;
const FORGET_ROWS = sql`DELETE FROM imported_rows WHERE ${OLD_ROWS} AND NOT ${HAS_ANIMAL}`;

function create(added: NewImport): Work<ImportRecord> {
  const values = valuesOf(NEW_COLUMNS, {
    ...added,
    dryRun: added.dryRun ? 1 : 0,
    status: 'queued',
    rowCounts: JSON.stringify(NO_ROWS),
    animalCounts: JSON.stringify(NO_ANIMALS),
    rejectedRows: '[]',
    steps: 0,
  });
  return INSERT.only(...values);
}

function save({ id, owner, leaseEndsAt }: ImportClaim, state: ImportState): Work<number> {
  const values = valuesOf(STATE_COLUMNS, {
    ...state,
    rowCounts: JSON.stringify(state.rows),
    rejectedRows: JSON.stringify(state.rejectedRows),
    failure: state.failure && JSON.stringify(state.failure),
    leaseEndsAt,
  });
  return SAVE.changes(id, owner, ...values);
}

function* advance(
  step: ImportStep,
  importBatch: ImportBatch,
): Work<ImportOutcome['ids'] | undefined> {
  const { id, owner, number, rows, leaseEndsAt } = step;
  const before = yield* LOCK.one(id, owner);
  if (before === undefined) return undefined;
  if (before.steps >= number) return [];
  const { at, keyId } = step.stamp;
  if (keyId !== null) requireKeyRight(yield* KEY_BY_ID.one(keyId), 'write', at);
  const outcome = yield* importBatch(step.batch, { ...step.stamp, importId: id }, step.options);
  const animals = countsAfter(before.animalCounts, outcome);
  yield* ADVANCE.run(id, JSON.stringify(rows), JSON.stringify(animals), number, leaseEndsAt);
  return outcome.ids;
}

const PHOTOS =
  sql`SELECT external_id AS "externalId", photos FROM imported_rows WHERE external_id ${isTextIn('$1')}`.as(
    ({ externalId, photos }: { readonly externalId: string; readonly photos: string | null }) =>
      [externalId, new Set(photos?.split(' ') ?? [])] as const,
  );
const LOCKED_PHOTOS =
  sql`SELECT photos FROM imported_rows WHERE external_id = $1 ${forUpdate}`.value(
    (photos: string | null) => photos?.split(' ') ?? [],
  );
const SAVE_PHOTOS = sql`UPDATE imported_rows SET photos = $2 WHERE external_id = $1`;
/** Marks of one animal: some systems write other addresses each night. */
const MARKS_MAX = 48;

/** Notes how an import ended: one line, with its counts. */
function* noteEnd({ id, keyId, ...ended }: ImportRecord, at: number): Work<void> {
  const { dryRun, status, rows, animals } = ended;
  const counts = { status, ...animals, rejected: rows.rejected };
  if (!dryRun)
    yield* noteAudit('import.ended', { id }, changedFields(undefined, counts), { at, keyId });
}

/** Notes the end of an import that has one now, and was changed. */
function* noteIfEnded(id: bigint, isChanged: boolean): Work<boolean> {
  const ended = isChanged ? yield* BY_ID.one(id) : undefined;
  if (ended?.endedAt != null) yield* noteEnd(ended, ended.endedAt);
  return isChanged;
}

/** Imports over HTTP. */
export function createImportStorage(
  transactions: Transactions,
  importBatch: ImportBatch,
): ImportStorage {
  const { read, write } = transactions;
  const { reads, writes } = methodsOf<ImportStorage>(transactions);
  return {
    ...reads({
      find: (id) => BY_ID.one(id),
      list: (request, header) =>
        listed(LIST, request, [
          ['header', header],
          // A dry run decides nothing.
          ['dry_run', header === undefined ? undefined : 0],
        ]),
      *knownPhotos(ids) {
        return new Map(yield* PHOTOS.all(JSON.stringify([...new Set(ids)])));
      },
    }),
    async failAbandoned(at) {
      // Nearly always there are none, and reading keeps no other process waiting.
      if ((await read(() => ANY_ABANDONED.one(at))) === undefined) return 0;
      return await write(function* () {
        const failed = yield* FAIL_ABANDONED.all(at, JSON.stringify(INTERRUPTED));
        for (const ended of failed) yield* noteEnd(ended, at);
        return failed.length;
      });
    },
    ...writes({
      create,
      *save(claim, state) {
        return yield* noteIfEnded(claim.id, (yield* save(claim, state)) > 0);
      },
      importBatch: (step) => advance(step, importBatch),
      *cancel(id, at) {
        const cancelled = yield* CANCEL.changes(id, at, JSON.stringify(CANCELLED));
        return yield* noteIfEnded(id, cancelled > 0);
      },
      renew: (owner, leaseEndsAt) => RENEW.run(leaseEndsAt, owner),
      noteCommand: (id, ended, at) =>
        noteAudit('import.ended', { id }, changedFields(undefined, ended), { at, keyId: null }),
      *notePhoto(externalId, mark) {
        const known = yield* LOCKED_PHOTOS.one(externalId);
        if (known === undefined || known.includes(mark)) return;
        yield* SAVE_PHOTOS.run(externalId, [...known, mark].slice(-MARKS_MAX).join(' '));
      },
      removeExpired: (time, most) => SWEEP.changes(time, most),
      // Rows that are kept leave the oldest, so all `most` of those that are found then may be forgotten.
      *forgetRows(time, most) {
        const kept = yield* KEEP_ROWS.changes(time, most);
        return kept + (yield* FORGET_ROWS.changes(time, most));
      },
    }),
  };
}
