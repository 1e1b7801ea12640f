import type { PetFilter } from '../../domain/pet.ts';
import { type Conditions, conditionsAfter } from './conditions.ts';
import { integerList, integers } from './json.ts';

/** The conditions of animals above an id that a filter lets through. */
export function petConditions(afterId: bigint | undefined, filter: PetFilter): Conditions {
  const conditions = conditionsAfter(afterId);
  if (filter.status !== undefined) conditions.add('status = ?', filter.status);
  if (filter.categoryId !== undefined) conditions.add('category_id = ?', filter.categoryId);
  if (filter.ids !== undefined) {
    conditions.add(`id = ANY(${integers('?')})`, integerList(filter.ids));
  }
  if (filter.nameFolded !== undefined) {
    conditions.add('position(? in name_folded) > 0', filter.nameFolded);
  }
  return conditions;
}
