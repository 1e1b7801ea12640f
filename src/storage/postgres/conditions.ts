import type { Value } from './connection.ts';

/** The conditions of a statement, and their values in the order of their numbers. */
export interface Conditions {
  /** Adds a condition: `add('status = ?', status)`. */
  add(condition: string, value: Value): void;
  /** What stands after WHERE. */
  readonly where: string;
  readonly values: readonly Value[];
  /** The number of the value that comes next, such as the limit. */
  readonly next: string;
}

/** Conditions that add up, beginning with a place in a list that ascends by id. */
export function conditionsAfter(afterId: bigint | undefined): Conditions {
  const conditions: string[] = [];
  const values: Value[] = [];
  function add(condition: string, value: Value): void {
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  }
  // Below every id, so that a first page needs no statement of its own.
  add('id > ?', afterId ?? 0n);
  return {
    add,
    get where() {
      return conditions.join(' AND ');
    },
    values,
    get next() {
      return `$${values.length + 1}`;
    },
  };
}
