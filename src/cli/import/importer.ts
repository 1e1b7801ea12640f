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
 * Animals in one transaction. A running server waits for the end of each transaction, so it must
 * be short.
 */
const BATCH_ROWS = 1_000;

/** Rejected rows that a dry run lists. */
const EXAMPLES_MAX = 10;
/** Changed animals that the summary lists. */
const CHANGES_MAX = 5;

/** A file that was read to its end, and what an import of it will do. Counts rows. */
export interface CheckedRows {
  readonly source: RowSource;
  readonly read: AnimalReader;
  readonly rows: number;
  readonly leftOut: number;
  /** The external ids of rows that are left out, unless another row has them too. */
  readonly leftOutIds: ReadonlySet<string>;
  readonly rejected: number;
  /** Rejected rows without a name. */
  readonly nameless: number;
  /** The first rejected rows. */
  readonly examples: readonly { readonly line: number; readonly reason: string }[];
  /** The number of cells in the longest rejected row. */
  readonly rejectedWidth: number;
  /** Rows that are ignored because a later one has the same external id. */
  readonly repeated: number;
  /** The line of the last row with each external id. */
  readonly lineOf: ReadonlyMap<string, number>;
  /** The file has external ids, so it can be imported again. */
  readonly repeatable: boolean;
  /** One entry for each value of the status column. */
  readonly statuses: readonly StatusCount[];
  readonly columns: Columns;
}

/** Counts of animals, also in a dry run. */
export interface ImportCounts {
  readonly created: number;
  readonly changed: number;
  /** The first changes. */
  readonly changes: readonly ImportedChange[];
  /** Animals that match their row, or whose row is the same as in the last import. */
  readonly unchanged: number;
  /** Part of `unchanged`: changed in the database since the last import. */
  readonly kept: number;
  /** Part of `unchanged`: removed from the database since the last import. */
  readonly removed: number;
  /** Not changed, because an open order holds them. */
  readonly held: number;
  readonly categories: number;
  /** Animals that an earlier import added from rows that are now left out. */
  readonly stillPublished: readonly Pet[];
}

export interface ImportOptions extends BatchOptions {
  readonly rejectedRows?: RejectedRows | undefined;
  /** Called before each batch; true stops the import. */
  readonly isInterrupted?: () => boolean;
}

/**
 * Reads a file to its end and writes nothing. Throws `CommandFailure` if the file cannot be read,
 * a column is missing, or the user interrupts.
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
 * Imports a checked file, one transaction per batch. If the user interrupts or the database fails,
 * throws `CommandFailure` that says which rows are in and how to go on.
 */
export async function importRows(
  checked: CheckedRows,
  pets: PetStorage,
  options: ImportOptions = {},
): Promise<ImportCounts> {
  const counts = { created: 0, changed: 0, unchanged: 0, kept: 0, removed: 0, held: 0 };
  const changes: ImportedChange[] = [];
  // A dry run creates no category, so several batches can report the same one.
  const categories = new Set<string>();

  function stopped(reason: string, line: number): CommandFailure {
    const isFirst = counts.created + counts.changed + counts.unchanged === 0;
    if (isFirst || options.dryRun) return new CommandFailure(`${reason} Nothing was imported.`);
    const advice = checked.repeatable
      ? 'import the file again to finish; rows that are in already change nothing.'
      : 'to go on, import only the header and the lines from there: without an external id the ' +
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

/** Reads the animals of a file in batches, and writes rejected rows to their own file. */
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

/** A later row has the same external id. */
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
