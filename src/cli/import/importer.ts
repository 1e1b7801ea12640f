import { systemClock } from '../../domain/clock.ts';
import type { BatchOptions, ImportedChange, Pet, PetStorage } from '../../domain/pet.ts';
import { batchesOf } from '../../import/batches.ts';
import { type CheckedRows, checkRows } from '../../import/check-rows.ts';
import type { ImportMapping } from '../../import/columns.ts';
import type { RowSource } from '../../import/row-source.ts';
import { CommandFailure, explain } from '../explain.ts';
import { createOutcomeCounter, type ImportCounts } from './counts.ts';
import { FLAGS } from './flags.ts';
import { findStillPublished } from './left-out.ts';
import type { RejectedRows } from './rejected-rows.ts';

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
export interface ImportResult {
  readonly counts: ImportCounts;
  /** The first changes. */
  readonly changes: readonly ImportedChange[];
  /** Animals that an earlier import added from rows that are now left out. */
  readonly stillPublished: readonly Pet[];
}

export interface ImportOptions extends BatchOptions {
  readonly rejectedRows?: RejectedRows | undefined;
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
    terms: FLAGS,
    examplesMax: EXAMPLES_MAX,
    beforeRow() {
      if (isInterrupted()) throw new CommandFailure('stopped before anything was imported.');
    },
  });
}

/**
 * Imports a checked file, one transaction per batch. If the user interrupts or the database fails,
 * throws `CommandFailure` that says which rows are in and how to go on.
 */
export async function importRows(
  checked: CheckedRows,
  pets: PetStorage,
  options: ImportOptions = {},
): Promise<ImportResult> {
  const { rejectedRows } = options;
  const counter = createOutcomeCounter();
  const changes: ImportedChange[] = [];

  function stopped(reason: string, line: number): CommandFailure {
    const { created, changed, unchanged } = counter.counts();
    const isFirst = created + changed + unchanged === 0;
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
  const batches = batchesOf(checked, {
    size: BATCH_ROWS,
    ...(rejectedRows && { rejected: rejectedRows.add }),
  });
  for await (const { animals, line } of batches) {
    if (options.isInterrupted?.()) throw stopped('stopped as you asked.', line);
    try {
      const stamp = { at: systemClock.now(), keyId: null };
      const outcome = await pets.importBatch(animals, stamp, options);
      counter.add(outcome);
      changes.push(...outcome.changes.slice(0, CHANGES_MAX - changes.length));
    } catch (error) {
      throw stopped(explain(error), line);
    }
  }
  return { counts: counter.counts(), changes, stillPublished };
}
