import type { PetFilter } from '../../domain/pet.ts';

export type Bindable = string | bigint | number;

/** An SQL condition and its values. */
export interface Conditions {
  readonly where: string;
  readonly values: readonly Bindable[];
}

/**
 * The condition for the animals above an id, or below it, that match a filter. With `= ?` SQLite
 * would plan the statement again at each run (`sql` in storage/statements.ts says why).
 */
export function conditionsAfter(
  afterId: bigint,
  filter: PetFilter,
  isDescending = false,
): Conditions {
  const conditions = [isDescending ? 'id < ?' : 'id > ?'];
  const values: Bindable[] = [afterId];
  if (filter.status !== undefined) {
    conditions.push('status = +?');
    values.push(filter.status);
  }
  if (filter.categoryId !== undefined) {
    conditions.push('category_id = +?');
    values.push(filter.categoryId);
  }
  const [id] = filter.ids ?? [];
  if (id !== undefined && filter.ids?.length === 1) {
    // The most common list, in two thirds of the time that `json_each` takes.
    conditions.push('id = +?');
    values.push(id);
  } else if (filter.ids !== undefined) {
    conditions.push('id IN (SELECT value FROM json_each(?))');
    values.push(`[${filter.ids.join(',')}]`);
  }
  if (filter.nameFolded !== undefined) {
    conditions.push('instr(name_folded, ?) > 0');
    values.push(filter.nameFolded);
  }
  return { where: conditions.join(' AND '), values };
}
