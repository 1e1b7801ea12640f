import type { ImportMapping } from './columns.ts';
import { createProfileReader, type ProfileReader } from './profile-reader.ts';
import { type Recognition, recognise } from './recognise.ts';
import type { Row, RowSource } from './row-source.ts';
import { createStayReader, type StayReader } from './stay-reader.ts';

/** Rows that the columns are recognised from. */
const SAMPLE_ROWS = 1_000;
/** Values of a column that confirm what it is, and how much of each. */
const SAMPLE_VALUES = 200;
const VALUE_CHARACTERS = 300;
/** Long rows are kept only up to this many characters. */
const SAMPLE_CHARACTERS = 4_000_000;

/** What a file is about, before any row becomes an animal. */
export interface Survey {
  readonly recognised: Recognition;
  readonly profiles: ProfileReader;
  readonly stays: StayReader;
}

/** Reads a file to its end: the first rows tell its columns, all rows the forms of its dates. */
export async function surveyRows(
  source: RowSource,
  given: ImportMapping,
  now: () => number,
  beforeRow: (rows: number) => void,
): Promise<Survey> {
  const first: Row[] = [];
  let characters = 0;
  let rows = 0;
  let survey: Survey | undefined;
  const open = (): Survey => {
    const recognised = recognise(given, source.columns, sampleOf(first, source.columns));
    const survey = { recognised, ...readersOf(recognised, now) };
    for (const row of first) add(row, survey);
    first.length = 0;
    return survey;
  };
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
export function readersOf(
  { mapping, profile, stays }: Recognition,
  now: () => number,
): Omit<Survey, 'recognised'> {
  const orders = new Set<RegExp>();
  return {
    profiles: createProfileReader(mapping, profile, now, orders),
    stays: createStayReader(stays, now, orders, mapping.status),
  };
}

function add(row: Row, { profiles, stays }: Survey): void {
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
