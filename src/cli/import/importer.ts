import { systemClock } from '../../domain/clock.ts';
import {
  type AnimalCounts,
  countsAfter,
  NO_ANIMALS,
  type UnreadValues,
} from '../../domain/import.ts';
import { foldCase } from '../../domain/name.ts';
import type {
  BatchOptions,
  ImportedChange,
  ImportOutcome,
  Pet,
  PetStorage,
} from '../../domain/pet.ts';
import { batchesOf } from '../../import/batches.ts';
import { type CheckedRows, checkRows } from '../../import/check-rows.ts';
import type { ImportMapping, MappingTerms } from '../../import/columns.ts';
import type { RowSource } from '../../import/row-source.ts';
import { CommandFailure, explain } from '../explain.ts';
import type { RejectedRows } from './rejected-rows.ts';

/** Returns the flag of a part of the mapping: one column holds all colours. */
export const flagOf: MappingTerms = (part) =>
  `--${(part === 'colours' ? 'colour' : part).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/**
 * Animals in one transaction. A running server waits for the end of each transaction, so it must
 * be short.
 */
const BATCH_ROWS = 1_000;

/** Rejected rows that a dry run lists. */
const EXAMPLES_MAX = 10;
/** Changed animals that the summary lists. */
const CHANGES_MAX = 5;

/** What an import did, or would do. */
interface ImportResult {
  readonly counts: ImportCounts;
  /** The first changes. */
  readonly changes: readonly ImportedChange[];
  /** Animals that an earlier import added from rows that are now left out. */
  readonly stillPublished: readonly Pet[];
  /** Values that fit nothing. */
  readonly unread: readonly UnreadValues[];
}

interface ImportOptions extends BatchOptions {
  readonly rejectedRows?: RejectedRows | undefined;
  /** Groups the changes in the audit. */
  readonly importId?: bigint | undefined;
  /** Called before each batch; true stops the import. */
  readonly isInterrupted?: () => boolean;
}

/**
 * Reads a file to its end and writes nothing. Throws `ImportFailure` if it cannot be imported, and
 * `CommandFailure` if the user interrupts.
 */
export function checkFile(
  source: RowSource,
  mapping: ImportMapping,
  isInterrupted: () => boolean = () => false,
): Promise<CheckedRows> {
  return checkRows(source, mapping, {
    terms: flagOf,
    now: systemClock.now,
    examplesMax: EXAMPLES_MAX,
    beforeRow() {
      if (isInterrupted()) throw new CommandFailure('stopped before anything was imported.');
    },
  });
}

/**
 * Imports a checked file, one transaction per batch. If the user interrupts or the database fails,
 * throws `CommandFailure` that says which rows are in and how to continue.
 */
export async function importRows(
  checked: CheckedRows,
  pets: PetStorage,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const { rejectedRows } = options;
  const counter = createOutcomeCounter();
  const changes: ImportedChange[] = [];
  let unread: readonly UnreadValues[] = [];

  function stopped(reason: string, line: number): CommandFailure {
    const { created, changed, unchanged } = counter.counts();
    const isFirst = created + changed + unchanged === 0;
    if (isFirst || options.dryRun) return new CommandFailure(`${reason} Nothing was imported.`);
    const advice = checked.repeatable
      ? 'import the file again to finish; rows that are in already change nothing.'
      : 'to continue, import only the header and the lines from there: without an external id the ' +
        'rows before would be added a second time.';
    const { name } = checked.source;
    return new CommandFailure(
      `${reason} The rows of ${name} before line ${line} are in; ${advice}`,
    );
  }

  const stillPublished = await findStillPublished(checked.leftOutIds, pets);
  const batches = batchesOf(checked, {
    size: BATCH_ROWS,
    ...(rejectedRows && { rejected: rejectedRows.add }),
  });
  for await (const { animals, line, unread: soFar } of batches) {
    if (options.isInterrupted?.()) throw stopped('stopped as you asked.', line);
    try {
      const stamp = { at: systemClock.now(), keyId: null, importId: options.importId };
      const outcome = await pets.importBatch(animals, stamp, options);
      counter.add(outcome);
      unread = soFar;
      changes.push(...outcome.changes.slice(0, CHANGES_MAX - changes.length));
    } catch (error) {
      throw stopped(explain(error), line);
    }
  }
  return { counts: counter.counts(), changes, stillPublished, unread };
}

/** Counts of animals and categories, also in a dry run. */
export interface ImportCounts extends AnimalCounts {
  /** Part of `unchanged`: changed in the database since the last import. */
  readonly kept: number;
  /** Part of `unchanged`: removed from the database since the last import. */
  readonly removed: number;
  readonly categories: number;
}

/** Creates a counter of the outcomes of batches, at 0. */
function createOutcomeCounter() {
  let animals = NO_ANIMALS;
  let kept = 0;
  let removed = 0;
  // A dry run creates no category, so several batches can report the same one.
  const categories = new Set<string>();
  return {
    counts: (): ImportCounts => ({ ...animals, kept, removed, categories: categories.size }),
    add(outcome: ImportOutcome): void {
      animals = countsAfter(animals, outcome);
      kept += outcome.kept;
      removed += outcome.removed;
      for (const name of outcome.categoriesCreated) categories.add(foldCase(name));
    },
  };
}

/** External ids in one query. */
const BATCH_IDS = 1_000;

/** Finds the animals with these external ids that are not sold, ascending by id. */
async function findStillPublished(
  externalIds: ReadonlySet<string>,
  pets: PetStorage,
): Promise<readonly Pet[]> {
  const all = [...externalIds];
  const published: Pet[] = [];
  for (let start = 0; start < all.length; start += BATCH_IDS) {
    const found = await pets.findImported(all.slice(start, start + BATCH_IDS));
    published.push(...found.filter(({ status }) => status !== 'sold'));
  }
  return published.sort((a, b) => Number(a.id - b.id));
}
