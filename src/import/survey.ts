import type { ImportMapping } from './columns.ts';
import { createProfileReader } from './profile-reader.ts';
import { type Recognition, recognise } from './recognise.ts';
import type { Row, RowSource } from './row-source.ts';
import { createStayReader } from './stay-reader.ts';

/** Rows that the columns are recognised from. */
const SAMPLE_ROWS = 1_000;
/** Values of a column that confirm what it is, and how much of each. */
const SAMPLE_VALUES = 200;
const VALUE_CHARACTERS = 300;
/** Long rows are kept only up to this many characters. */
const SAMPLE_CHARACTERS = 4_000_000;

/**
 * Reads a file to its end, before any row becomes an animal: the first rows tell its columns, all rows the forms of its
 * dates.
 */
export async function surveyRows(
  source: RowSource,
  given: ImportMapping,
  now: () => number,
  beforeRow: (rows: number) => void,
) {
  const first: Row[] = [];
  let characters = 0;
  let rows = 0;
  const open = () => {
    const recognised = recognise(given, source.columns, sampleOf(first, source.columns));
    const opened = { recognised, ...readersOf(recognised, now) };
    for (const row of first) add(row, opened);
    first.length = 0;
    return opened;
  };
  let survey: ReturnType<typeof open> | undefined;
  for await (const row of source.rows()) {
    beforeRow(rows++);
    if (survey !== undefined) {
      add(row, survey);
      continue;
    }
    first.push(row);
    characters += row.original.reduce((sum, cell) => sum + cell.length, 0);
    if (rows === SAMPLE_ROWS || characters > SAMPLE_CHARACTERS) survey = open();
  }
  return survey ?? open();
}

/** Creates the readers of a file's profiles and stays. One program wrote its dates, so they share their order. */
export function readersOf({ mapping, profile, stays }: Recognition, now: () => number) {
  const orders = new Set<RegExp>();
  return {
    profiles: createProfileReader(mapping, profile, now, orders),
    stays: createStayReader(stays, now, orders, mapping.status),
  };
}

function add(row: Row, { profiles, stays }: ReturnType<typeof readersOf>): void {
  profiles.add(row);
  stays.add(row);
}

function sampleOf(rows: readonly Row[], columns: ReadonlyMap<string, number>) {
  const sample = new Map<string, string[]>();
  for (const column of columns.keys()) {
    const values: string[] = [];
    for (const row of rows) {
      const value = row.text(column).slice(0, VALUE_CHARACTERS).trim();
      if (value !== '') values.push(value);
      if (values.length === SAMPLE_VALUES) break;
    }
    sample.set(column, values);
  }
  return sample;
}
