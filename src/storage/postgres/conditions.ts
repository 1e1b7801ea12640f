import type { PetFilter } from '../../domain/pet.ts';
import { integerList, isIn } from '../statements.ts';
import type { Value } from './connection.ts';

/** The conditions of animals above an id that a filter lets through, joined by AND. */
export function petConditions(afterId: bigint, filter: PetFilter) {
  const conditions: string[] = [];
  const values: Value[] = [];
  /** Adds a condition: `add('status = ?', status)`. */
  function add(condition: string, value: Value): void {
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  }
  add('id > ?', afterId);
  if (filter.status !== undefined) add('status = ?', filter.status);
  if (filter.categoryId !== undefined) add('category_id = ?', filter.categoryId);
  if (filter.ids !== undefined) add(`id ${isIn('?').postgres}`, integerList(filter.ids));
  if (filter.nameFolded !== undefined) add('position(? in name_folded) > 0', filter.nameFolded);
  return {
    add,
    /** The text after WHERE. */
    get where() {
      return conditions.join(' AND ');
    },
    values,
    /** The next free parameter, for example for the limit. */
    get next() {
      return `$${values.length + 1}`;
    },
  };
}
