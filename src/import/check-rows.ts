import type { RejectedRow } from '../domain/import.ts';
import { foldCase } from '../domain/name.ts';
import type { ImportedStay } from '../domain/stay-types.ts';
import {
  type AnimalReader,
  createAnimalReader,
  type Departure,
  type ReadRow,
  readAnimal,
} from './animal-reader.ts';
import { checkColumns } from './check-columns.ts';
import {
  type Columns,
  columnsOf,
  type ImportMapping,
  type MappingTerms,
  textIn,
} from './columns.ts';
import { tooManyNewCategories } from './failure.ts';
import { createHistories } from './histories.ts';
import { type StatusChoice, statusOf } from './mapping.ts';
import type { ProfileReader } from './profile-reader.ts';
import type { Recognition } from './recognise.ts';
import { NamelessRow, Rejection, type Row, type RowSource, UnknownStatus } from './row-source.ts';
import { meaningOf, statusMeant } from './statuses.ts';
import { surveyRows } from './survey.ts';

/** A file that was read to its end, and what an import of it will do. Counts rows. */
export interface CheckedRows {
  readonly source: RowSource;
  readonly recognised: Recognition;
  readonly read: AnimalReader;
  readonly profiles: ProfileReader;
  readonly rows: number;
  readonly leftOut: number;
  /** The external ids of animals whose newest row is left out without a word of why. */
  readonly leftOutIds: ReadonlySet<string>;
  /** Animals whose newest row says that they left, by their external ids. */
  readonly departures: ReadonlyMap<string, Departure>;
  readonly rejected: number;
  /** Rejected rows without a name. */
  readonly nameless: number;
  /** The first rejected rows. */
  readonly examples: readonly RejectedRow[];
  /** The number of cells in the longest rejected row. */
  readonly rejectedWidth: number;
  /** Rows that are ignored because a newer one has the same external id. */
  readonly repeated: number;
  /** The line of the newest row with each external id. */
  readonly lineOf: ReadonlyMap<string, number>;
  /** The stays of the animal of a row; undefined if the file has no dates of them. */
  staysOf(row: ReadRow): readonly ImportedStay[] | undefined;
  /** All external ids of the file, those of rejected rows too. */
  readonly seen: ReadonlySet<string>;
  /** The folded names of its categories; empty if the mapping names no column of them. */
  readonly categories: ReadonlySet<string>;
  /** The file has external ids, so it can be imported again. */
  readonly repeatable: boolean;
  /** One entry for each value of the status column, of the first thousand. */
  readonly statuses: readonly StatusCount[];
  readonly columns: Columns;
}

/** How to check a file. */
interface CheckOptions {
  readonly terms: MappingTerms;
  readonly now: () => number;
  /** Rejected rows that are listed. */
  readonly examplesMax: number;
  /** A file with more categories is refused; any number by default. */
  readonly categoriesMax?: number;
  /** Called before each row with the number of rows before it. It throws to stop. */
  readonly beforeRow: (rows: number) => void;
}

/** Reads a file to its end, twice, and writes nothing. Throws `ImportFailure` if it cannot be imported. */
export async function checkRows(
  source: RowSource,
  given: ImportMapping,
  { terms, now, examplesMax, categoriesMax = Infinity, beforeRow }: CheckOptions,
): Promise<CheckedRows> {
  const { recognised, profiles, stays } = await surveyRows(source, given, now, beforeRow);
  const { mapping } = recognised;
  const columns = columnsOf(mapping, terms);
  checkColumns(source, columns, terms);
  const read = createAnimalReader(mapping, columns, terms, stays);
  const counts = { rows: 0, leftOut: 0, rejected: 0, nameless: 0, rejectedWidth: 0 };
  const tally = createStatusTally(mapping, columns);
  const examples: RejectedRow[] = [];
  const newest = createNewest();
  const categories = new Set<string>();
  const seen = new Set<string>();
  const histories = createHistories(recognised.stays, now);
  function reject(row: Row, reason: Rejection): void {
    counts.rejected++;
    if (reason instanceof NamelessRow) counts.nameless++;
    counts.rejectedWidth = Math.max(counts.rejectedWidth, row.original.length);
    if (examples.length < examplesMax) examples.push({ line: row.line, reason: reason.message });
  }
  for await (const row of source.rows()) {
    beforeRow(counts.rows);
    counts.rows++;
    const animal = readAnimal(row, read);
    // An outcome says more than the status beside it.
    if (mapping.statusMap !== undefined || !stays.read(row).hasLeft) tally.add(row);
    const id = row.text(columns.externalId.name).trim();
    if (id !== '') seen.add(id);
    if (animal instanceof Rejection) {
      reject(row, animal);
      if (animal instanceof UnknownStatus && animal.of !== undefined) {
        newest.add({ ...animal.of, animal: undefined, left: undefined }, row.line);
      }
      continue;
    }
    if (animal.problem !== undefined) {
      if (mapping.withHistory) reject(row, animal.problem);
    } else if (animal.animal === undefined) counts.leftOut++;
    else if ('name' in animal.animal.category) {
      categories.add(foldCase(animal.animal.category.name));
      if (categories.size > categoriesMax) throw tooManyNewCategories(categoriesMax);
    }
    newest.add(animal, row.line);
    histories.add(animal);
  }
  const repeatable = source.columns.has(columns.externalId.name);
  const more = {
    seen,
    staysOf: histories.of,
    categories,
    examples,
    repeatable,
    statuses: tally.counts(),
    columns,
  };
  return { source, recognised, read, profiles, ...counts, ...newest.result(), ...more };
}

/** Finds the newest row of each external id. */
function createNewest() {
  interface Newest {
    readonly line: number;
    readonly order: string;
    readonly isAnimal: boolean;
    readonly left: Departure | undefined;
  }
  const rows = new Map<string, Newest>();
  let repeated = 0;
  return {
    add({ externalId, animal, left, order }: ReadRow, line: number): void {
      if (externalId === undefined) return;
      const before = rows.get(externalId);
      const isAnimal = animal !== undefined;
      // Rows that are left out are counted as that.
      if (before !== undefined) {
        const isNewer = order >= before.order;
        if (isNewer ? before.isAnimal : isAnimal) repeated++;
        if (!isNewer) return;
      }
      rows.set(externalId, { line, order, isAnimal, left });
    },
    result() {
      const lineOf = new Map<string, number>();
      const leftOutIds = new Set<string>();
      const departures = new Map<string, Departure>();
      for (const [id, { line, isAnimal, left }] of rows) {
        lineOf.set(id, line);
        if (left !== undefined) departures.set(id, left);
        else if (!isAnimal) leftOutIds.add(id);
      }
      return { lineOf, leftOutIds, departures, repeated };
    },
  };
}

/** The number of rows with one value in the status column. */
export interface StatusCount {
  readonly value: string;
  /** Undefined if the value has no mapping, so its rows are rejected. */
  readonly choice: StatusChoice | undefined;
  readonly rows: number;
}

/** Values of a status column that are counted. A column with more holds something else, and may be of any size. */
const STATUSES_MAX = 1_000;

/** Counts the values of a status column. */
function createStatusTally({ statusMap }: ImportMapping, { status }: Columns) {
  const rowsOf = new Map<string, number>();
  const choiceOf = (value: string) => {
    const meaning = statusMap === undefined ? meaningOf(value) : undefined;
    return statusOf(value, statusMap) ?? (meaning && statusMeant(meaning));
  };
  return {
    add(row: Row): void {
      try {
        const value = textIn(row, status);
        if (rowsOf.size < STATUSES_MAX || rowsOf.has(value)) {
          rowsOf.set(value, (rowsOf.get(value) ?? 0) + 1);
        }
      } catch (error) {
        // A broken row is rejected elsewhere.
        if (!(error instanceof Rejection)) throw error;
      }
    },
    /** The most frequent value first. */
    counts: (): StatusCount[] =>
      [...rowsOf]
        .map(([value, rows]) => ({ value, choice: choiceOf(value), rows }))
        .sort((a, b) => b.rows - a.rows),
  };
}
