/** The first animals of a file as they would be stored. */

import { createAnimalReader, readAnimal } from '../../../import/animal-reader.ts';
import { columnsOf, type ImportMapping } from '../../../import/columns.ts';
import { parseNameTemplate, parseStatusMap } from '../../../import/mapping.ts';
import { recognise } from '../../../import/recognise.ts';
import { NamelessRow, Rejection, type Row, UnknownStatus } from '../../../import/row-source.ts';
import { readersOf } from '../../../import/survey.ts';
import { t } from '../../language.ts';
import type { StartImportQuery } from '../../service.ts';
import { fieldName, fieldText, statusWord } from '../../words.ts';
import { reasonText } from './reasons.ts';

/** An animal as far as it can be told here. */
export interface PreviewedAnimal {
  readonly name: string;
  readonly category: string;
  readonly status: string;
  /** It is added, or changed. */
  readonly isAdded: boolean;
  readonly profile: string;
}

interface PreviewedFile {
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  readonly first: ReadonlyMap<string, readonly string[]>;
}

/** What says nothing here beside the other fields. */
const UNSHOWN = ['published', 'birthDatePrecision'];
const ROWS_SHOWN = 5;

/** Reads the first rows as the service does. Nobody is available before the status is chosen. */
export function previewOf(
  sample: PreviewedFile,
  query: StartImportQuery,
  isStatusChosen: boolean,
): readonly PreviewedAnimal[] {
  const { statusMap, unnamed, ...given } = query;
  const mapping: ImportMapping = {
    // The parameters are the parts of a mapping.
    ...(given as ImportMapping),
    statusMap: statusMap === undefined ? undefined : parseStatusMap(statusMap),
    unnamed: templateOf(unnamed),
  };
  const columns = new Map(sample.columns.map((name) => [name, 1]));
  const recognised = recognise(mapping, columns, sample.first);
  const { profiles, stays } = readersOf(recognised, Date.now);
  const terms = (part: string) => part;
  const read = createAnimalReader(
    recognised.mapping,
    columnsOf(recognised.mapping, terms),
    terms,
    stays,
  );
  for (const row of sample.rows) {
    profiles.add(row);
    stays.add(row);
  }
  return sample.rows.slice(0, ROWS_SHOWN).map((row) => {
    const cell = (column: string | undefined) => (column ? row.text(column).trim() : '');
    const raw = {
      name: cell(query.name),
      category: query.categoryIs ?? cell(query.category ?? query.categoryId),
    };
    const found = readAnimal(row, read);
    if (found instanceof Rejection) {
      return { ...raw, status: rejection(found), isAdded: false, profile: '' };
    }
    const { animal, left } = found;
    if (animal === undefined) return { ...raw, status: t`Left out`, isAdded: false, profile: '' };
    const { name, category } = animal;
    const known = {
      name,
      category: 'name' in category ? category.name : fieldText('categoryId', Number(category.id)),
      profile: Object.entries(profiles.read(row, () => {}) ?? {})
        .filter(([field, value]) => value !== null && !UNSHOWN.includes(field))
        .map(([field, value]) => `${fieldName(field)}: ${fieldText(field, value)}`)
        .join('; '),
    };
    if (!isStatusChosen) return { ...known, status: t`Not chosen`, isAdded: false };
    if (left === undefined) return { ...known, status: animal.status, isAdded: true };
    const how = left.type === undefined ? '' : `: ${statusWord(left.type)}`;
    return { ...known, status: t`Has left${how}`, isAdded: false };
  });
}

/** A template that is not finished makes no names. */
function templateOf(text: string | undefined): ImportMapping['unnamed'] {
  try {
    return text === undefined ? undefined : parseNameTemplate(text);
  } catch {
    return undefined;
  }
}

function rejection(problem: Rejection): string {
  if (problem instanceof NamelessRow) return t`Rejected: no name`;
  if (problem instanceof UnknownStatus) return t`Not chosen`;
  return t`Rejected: ${reasonText(problem.message)}`;
}
