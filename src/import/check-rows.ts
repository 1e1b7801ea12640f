import type { RejectedRow } from '../domain/import.ts';
import { foldCase } from '../domain/name.ts';
import { type AnimalReader, createAnimalReader, readAnimal } from './animal-reader.ts';
import {
  type Columns,
  checkColumns,
  columnsOf,
  type ImportMapping,
  type MappingTerms,
  textIn,
} from './columns.ts';
import { tooManyNewCategories } from './failure.ts';
import { type StatusChoice, statusOf } from './mapping.ts';
import { createProfileReader, type ProfileReader } from './profile-reader.ts';
import { NamelessRow, Rejection, type Row, type RowSource } from './row-source.ts';

/** A file that was read to its end, and what an import of it will do. Counts rows. */
export interface CheckedRows {
  readonly source: RowSource;
  readonly read: AnimalReader;
  readonly profiles: ProfileReader;
  readonly rows: number;
  readonly leftOut: number;
  /** The external ids of rows that are left out, unless another row has them too. */
  readonly leftOutIds: ReadonlySet<string>;
  readonly rejected: number;
  /** Rejected rows without a name. */
  readonly nameless: number;
  /** The first rejected rows. */
  readonly examples: readonly RejectedRow[];
  /** The number of cells in the longest rejected row. */
  readonly rejectedWidth: number;
  /** Rows that are ignored because a later one has the same external id. */
  readonly repeated: number;
  /** The line of the last row with each external id. */
  readonly lineOf: ReadonlyMap<string, number>;
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

/** Reads a file to its end and writes nothing. Throws `ImportFailure` if it cannot be imported. */
export async function checkRows(
  source: RowSource,
  mapping: ImportMapping,
  { terms, now, examplesMax, categoriesMax = Infinity, beforeRow }: CheckOptions,
): Promise<CheckedRows> {
  const columns = columnsOf(mapping, terms);
  const read = createAnimalReader(mapping, columns, terms);
  const profiles = createProfileReader(mapping, source, now);
  const counts = { rows: 0, leftOut: 0, rejected: 0, nameless: 0, rejectedWidth: 0, repeated: 0 };
  const tally = createStatusTally(mapping, columns);
  const examples: RejectedRow[] = [];
  const lineOf = new Map<string, number>();
  const leftOutIds = new Set<string>();
  const categories = new Set<string>();
  for await (const row of source.rows()) {
    beforeRow(counts.rows);
    counts.rows++;
    tally.add(row);
    profiles.add(row);
    const animal = readAnimal(row, read);
    if (animal instanceof Rejection) {
      counts.rejected++;
      if (animal instanceof NamelessRow) counts.nameless++;
      counts.rejectedWidth = Math.max(counts.rejectedWidth, row.original.length);
      if (examples.length < examplesMax) {
        examples.push({ line: row.line, reason: animal.message });
      }
    } else if (animal.status === 'skip') {
      counts.leftOut++;
      if (animal.externalId !== undefined) leftOutIds.add(animal.externalId);
    } else {
      if ('name' in animal.category) {
        categories.add(foldCase(animal.category.name));
        if (categories.size > categoriesMax) throw tooManyNewCategories(categoriesMax);
      }
      if (animal.externalId === undefined) continue;
      if (lineOf.has(animal.externalId)) counts.repeated++;
      lineOf.set(animal.externalId, row.line);
    }
  }
  checkColumns(source, columns);
  const repeatable = source.columns.has(columns.externalId.name);
  const statuses = tally.counts();
  for (const id of lineOf.keys()) leftOutIds.delete(id);
  const more = { leftOutIds, categories, examples, lineOf, repeatable, statuses, columns };
  return { source, read, profiles, ...counts, ...more };
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
        .map(([value, rows]) => ({ value, choice: statusOf(value, statusMap), rows }))
        .sort((a, b) => b.rows - a.rows),
  };
}
