import { PROFILE_PARTS, STAY_PARTS } from '../../../domain/import.ts';
import { foldCase } from '../../../domain/name.ts';
import { parseCategoryMap, parseStatusMap } from '../../../import/mapping.ts';
import type { FileSample } from './file-sample.ts';
import { guessStatuses, type Mapping, ONE_KIND, PARTS } from './mapping.ts';

/** Returns the mapping that an earlier import of such a file had; undefined if no person has chosen it. */
export function mappingFrom(sample: FileSample, choices: string): Mapping | undefined {
  const query = new URLSearchParams(choices);
  const text = (name: string) => query.get(name) ?? '';
  if (text('onlyNamed') !== 'true') return undefined;
  const status = text('status');
  const statusMap = query.has('statusMap') ? parseStatusMap(text('statusMap')) : undefined;
  const statuses = Object.entries(guessStatuses(sample, status)).map(([value, guess]) => [
    value,
    statusMap?.get(foldCase(value)) ?? guess,
  ]);
  const categoryMap = query.has('categoryMap') ? parseCategoryMap(text('categoryMap')) : new Map();
  const parts = [...PROFILE_PARTS, ...STAY_PARTS].flatMap((part) =>
    query.has(part) ? [[text(part), part]] : [],
  );
  const columns = ['name', 'status', 'externalId', 'category', 'categoryId', ...PARTS];
  const isWhole = columns.every((part) => !text(part) || sample.columns.includes(text(part)));
  if (!isWhole) return undefined;
  return {
    ...{ name: text('name'), externalId: text('externalId'), unnamed: text('unnamed'), status },
    category: query.has('categoryIs') ? ONE_KIND : text('category') || text('categoryId'),
    isCategoryId: query.has('categoryId'),
    categoryIs: text('categoryIs'),
    categories: Object.fromEntries(categoryMap),
    statuses: Object.fromEntries(statuses),
    parts: Object.fromEntries(parts),
    weightUnit: text('weightUnit'),
    publish: text('publish') === 'true',
    photos: text('photos') !== 'false',
    withHistory: text('withHistory') === 'true',
    // The parameter has no other values.
    missing: (text('missing') || 'keep') as Mapping['missing'],
  };
}
