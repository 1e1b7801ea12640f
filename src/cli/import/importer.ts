import { systemClock } from '../../domain/clock.ts';
import {
  type AnimalCounts,
  countsAfter,
  type ImportPolicy,
  MISSING_MOST,
  NO_ANIMALS,
  type UnreadValues,
} from '../../domain/import.ts';
import { foldCase } from '../../domain/name.ts';
import type {
  BatchOptions,
  ImportedChange,
  ImportedPet,
  ImportOutcome,
  Pet,
  PetStorage,
} from '../../domain/pet.ts';
import { type Batch, batchesOf, findBrought, type MissingAnimals } from '../../import/batches.ts';
import { type CheckedRows, checkRows } from '../../import/check-rows.ts';
import type { ImportMapping, MappingTerms } from '../../import/columns.ts';
import type { RowSource } from '../../import/row-source.ts';
import { CommandFailure, explain } from '../explain.ts';
import type { RejectedRows } from './rejected-rows.ts';

/** Returns the flag of a part of the mapping: one column holds all colours. */
export const flagOf: MappingTerms = (part) =>
  `--${(part === 'colours' ? 'colour' : part).replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

/** `goodWithDogs` is good with dogs. */
export function wordsOf(part: string): string {
  return part.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
}

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
  /** Animals whose newest row is left out, without a word of why. */
  readonly stillPublished: readonly Pet[];
  readonly missing: MissingAnimals;
  /** Values that fit nothing. */
  readonly unread: readonly UnreadValues[];
}

interface ImportOptions extends BatchOptions {
  readonly policy?: ImportPolicy;
  readonly rejectedRows?: RejectedRows | undefined;
  /** Groups the changes in the audit. */
  readonly importId?: bigint | undefined;
  /** Called with each batch that was written, and the ids of its animals. */
  readonly written?: (batch: readonly ImportedPet[], ids: ImportOutcome['ids']) => Promise<void>;
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
  const { rejectedRows, policy = KEEP } = options;
  const changes: ImportedChange[] = [];
  // A dry run creates no category, so several batches can report the same one.
  const categories = new Set<string>();
  let counts: ImportCounts = NO_COUNTS;

  function stopped(reason: string, line: number): CommandFailure {
    const isFirst = counts.created + counts.changed + counts.unchanged === 0;
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

  async function write({ animals, line }: Batch): Promise<void> {
    if (options.isInterrupted?.()) throw stopped('stopped as you asked.', line);
    try {
      const stamp = { at: systemClock.now(), keyId: null, importId: options.importId };
      const outcome = await pets.importBatch(animals, stamp, options);
      for (const name of outcome.categoriesCreated) categories.add(foldCase(name));
      counts = {
        ...{ ...counts, ...countsAfter(counts, outcome), categories: categories.size },
        kept: counts.kept + outcome.kept,
        removed: counts.removed + outcome.removed,
      };
      await options.written?.(animals, outcome.ids);
      changes.push(...outcome.changes.slice(0, CHANGES_MAX - changes.length));
    } catch (error) {
      throw stopped(explain(error), line);
    }
  }

  const kept = await findBrought(checked.leftOutIds, pets);
  const stillPublished = [...kept.values()]
    .filter(({ status }) => status !== 'sold')
    .sort((a, b) => Number(a.id - b.id));
  const rules = { size: BATCH_ROWS, policy, ...(rejectedRows && { rejected: rejectedRows.add }) };
  let last: Batch | undefined;
  for await (last of batchesOf(checked, pets, rules))
    if (last.animals.length > 0) await write(last);
  if (last === undefined) throw new Error('there is always a last batch');
  const { left, leftBefore, missing, unread } = last;
  return { counts: { ...counts, left, leftBefore }, changes, stillPublished, missing, unread };
}

/** What is done unless a flag says otherwise. */
const KEEP: ImportPolicy = { withHistory: false, missing: 'keep', missingMost: MISSING_MOST };

/** Counts of animals and categories, also in a dry run. */
export interface ImportCounts extends AnimalCounts {
  /** Part of `unchanged`: changed in the database since the last import. */
  readonly kept: number;
  /** Part of `unchanged`: removed from the database since the last import. */
  readonly removed: number;
  readonly categories: number;
  /** Animals that were here and left. */
  readonly left: number;
  /** Animals left out, because they had left before they ever came here. */
  readonly leftBefore: number;
}

const NO_COUNTS: ImportCounts = {
  ...NO_ANIMALS,
  ...{ kept: 0, removed: 0, categories: 0, left: 0, leftBefore: 0 },
};
