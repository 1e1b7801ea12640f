import { systemClock } from '../../domain/clock.ts';
import { foldCase } from '../../domain/name.ts';
import type {
  BatchOptions,
  ImportedChange,
  ImportedPet,
  Pet,
  PetStorage,
} from '../../domain/pet.ts';
import { CommandFailure, explain } from '../explain.ts';
import { type AnimalReader, createAnimalReader, type LeftOutRow } from './animal-reader.ts';
import { type Columns, checkColumns, columnsOf, type ImportMapping } from './columns.ts';
import { findStillPublished } from './left-out.ts';
import type { RejectedRows } from './rejected-rows.ts';
import { NamelessRow, Rejection, type Row, type RowSource } from './row-source.ts';
import { createStatusTally, type StatusCount } from './status-tally.ts';

/**
 * How many animals go into the database in one transaction: few enough that a running server,
 * which waits for the end of it, is not held up.
 */
const BATCH_ROWS = 1_000;

/** How many rejected rows are named before anything is written. */
const EXAMPLES_MAX = 10;
/** How many changed animals are named. */
const CHANGES_MAX = 5;

/** A file that was read to its end, and what an import of it will do. Counts are rows. */
export interface CheckedRows {
  readonly source: RowSource;
  readonly read: AnimalReader;
  readonly rows: number;
  readonly leftOut: number;
  /** The external ids of rows that are left out, unless another row has them too. */
  readonly leftOutIds: ReadonlySet<string>;
  readonly rejected: number;
  /** How many of the rejected rows lack a name. */
  readonly nameless: number;
  /** The first of the rejected rows. */
  readonly examples: readonly { readonly line: number; readonly reason: string }[];
  /** The cells of the longest rejected row. */
  readonly rejectedWidth: number;
  /** Rows that do not count, since a later one has their external id. */
  readonly repeated: number;
  /** The line of the row that counts for each external id. */
  readonly lineOf: ReadonlyMap<string, number>;
  /** Whether the animals can be found again when the file is imported again. */
  readonly repeatable: boolean;
  /** What becomes of each value of the status column. */
  readonly statuses: readonly StatusCount[];
  readonly columns: Columns;
}

/** What an import did, or in a dry run what it would do. Counts are animals. */
export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** The first of the changed ones. */
  readonly changes: readonly ImportedChange[];
  /** As their row says, or their row says what it said the last time. */
  readonly unchanged: number;
  /** The unchanged ones that were changed here since. */
  readonly kept: number;
  /** The unchanged ones that were removed here since. */
  readonly removed: number;
  /** Left as they are, since an open order holds them. */
  readonly held: number;
  readonly categories: number;
  /** Animals that an earlier import added from rows that are now left out. */
  readonly stillPublished: readonly Pet[];
}

/** What an import may be given besides its rows. */
export interface ImportOptions extends BatchOptions {
  /** Where rejected rows go. */
  readonly rejectedRows?: RejectedRows | undefined;
  /** Asked before each batch: whether to stop. */
  readonly isInterrupted?: () => boolean;
}

/**
 * Reads a file to its end and writes nothing. Throws `CommandFailure` for one that cannot be read,
 * that lacks a column, or when interrupted.
 */
export async function checkRows(
  source: RowSource,
  mapping: ImportMapping,
  isInterrupted: () => boolean = () => false,
): Promise<CheckedRows> {
  const columns: Columns = columnsOf(mapping);
  const read = createAnimalReader(mapping, columns);
  const counts = { rows: 0, leftOut: 0, rejected: 0, nameless: 0, rejectedWidth: 0, repeated: 0 };
  const tally = createStatusTally(mapping, columns);
  const examples: { line: number; reason: string }[] = [];
  const lineOf = new Map<string, number>();
  const leftOutIds = new Set<string>();
  for await (const row of source.rows()) {
    if (isInterrupted()) throw new CommandFailure('stopped before anything was imported.');
    counts.rows++;
    tally.add(row);
    const animal = outcomeOf(row, read);
    if (animal instanceof Rejection) {
      counts.rejected++;
      if (animal instanceof NamelessRow) counts.nameless++;
      counts.rejectedWidth = Math.max(counts.rejectedWidth, row.original.length);
      if (examples.length < EXAMPLES_MAX) {
        examples.push({ line: row.line, reason: animal.message });
      }
    } else if (animal.status === 'skip') {
      counts.leftOut++;
      if (animal.externalId !== undefined) leftOutIds.add(animal.externalId);
    } else if (animal.externalId !== undefined) {
      if (lineOf.has(animal.externalId)) counts.repeated++;
      lineOf.set(animal.externalId, row.line);
    }
  }
  checkColumns(source, columns);
  const repeatable = source.columns.has(columns.externalId.name);
  const statuses = tally.counts();
  for (const id of lineOf.keys()) leftOutIds.delete(id);
  const more = { leftOutIds, examples, lineOf, repeatable, statuses, columns };
  return { source, read, ...counts, ...more };
}

/**
 * Imports a checked file, a batch a transaction. Throws `CommandFailure` that says what is in and
 * how to go on, when interrupted or when the database fails.
 */
export async function importRows(
  checked: CheckedRows,
  pets: PetStorage,
  options: ImportOptions = {},
): Promise<ImportCounts> {
  const counts = { created: 0, changed: 0, unchanged: 0, kept: 0, removed: 0, held: 0 };
  const changes: ImportedChange[] = [];
  // A dry run creates none, so each of its batches may name the same category.
  const categories = new Set<string>();

  function stopped(reason: string, line: number): CommandFailure {
    const isFirst = counts.created + counts.changed + counts.unchanged === 0;
    if (isFirst || options.dryRun) return new CommandFailure(`${reason} Nothing was imported.`);
    const advice = checked.repeatable
      ? 'import the file again to finish; what is in already stays as it is.'
      : 'to go on, import the lines from there under the header: without an external id the ' +
        'rows before would be added a second time.';
    const { name } = checked.source;
    return new CommandFailure(
      `${reason} The rows of ${name} before line ${line} are in; ${advice}`,
    );
  }

  const stillPublished = await findStillPublished(checked.leftOutIds, pets);
  for await (const { animals, line } of batchesOf(checked, options.rejectedRows)) {
    if (options.isInterrupted?.()) throw stopped('stopped as you asked.', line);
    try {
      const stamp = { at: systemClock.now(), keyId: null };
      const outcome = await pets.importBatch(animals, stamp, options);
      counts.created += outcome.created;
      counts.changed += outcome.changes.length;
      changes.push(...outcome.changes.slice(0, CHANGES_MAX - changes.length));
      counts.unchanged += outcome.unchanged + outcome.kept + outcome.removed;
      counts.kept += outcome.kept;
      counts.removed += outcome.removed;
      counts.held += outcome.held.length;
      for (const name of outcome.categoriesCreated) categories.add(foldCase(name));
    } catch (error) {
      throw stopped(explain(error), line);
    }
  }
  return { ...counts, changes, categories: categories.size, stillPublished };
}

interface Batch {
  /** The line of its first row. */
  readonly line: number;
  readonly animals: readonly ImportedPet[];
}

/** The animals of a file, a batch at a time; what is rejected on the way goes where it belongs. */
async function* batchesOf(
  checked: CheckedRows,
  rejectedRows: RejectedRows | undefined,
): AsyncGenerator<Batch> {
  let animals: ImportedPet[] = [];
  let line = 0;
  for await (const row of checked.source.rows()) {
    const animal = outcomeOf(row, checked.read);
    if (animal instanceof Rejection) {
      rejectedRows?.add(row, animal.message);
      continue;
    }
    if (animal.status === 'skip' || isRepeated(animal, row, checked)) continue;
    if (animals.length === 0) line = row.line;
    animals.push(animal);
    if (animals.length < BATCH_ROWS) continue;
    yield { line, animals };
    animals = [];
  }
  if (animals.length > 0) yield { line, animals };
}

/** Whether a later row has the same external id. */
function isRepeated({ externalId }: ImportedPet, row: Row, { lineOf }: CheckedRows): boolean {
  return externalId !== undefined && lineOf.get(externalId) !== row.line;
}

function outcomeOf(row: Row, read: AnimalReader): ImportedPet | LeftOutRow | Rejection {
  try {
    return read(row);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}
