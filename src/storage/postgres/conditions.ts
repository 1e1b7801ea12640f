import { INT64_MAX } from '../../domain/int64.ts';
import type { Value } from './connection.ts';

/** The conditions of a statement, and the values of its parameters. */
export interface Conditions {
  /** Adds a condition: `add('status = ?', status)`. */
  add(condition: string, value: Value): void;
  /** The text after WHERE. */
  readonly where: string;
  readonly values: readonly Value[];
  /** The next free parameter, for example for the limit. */
  readonly next: string;
}

/** Creates conditions, joined by AND, that start with a position in a list ascending by id. */
export function conditionsAfter(afterId: bigint | undefined): Conditions {
  // 0 is below every id, so the first page needs no statement of its own.
  return conditionsFrom('id > ?', afterId ?? 0n);
}

/** Creates the same for a list descending by id. */
export function conditionsBefore(beforeId: bigint | undefined): Conditions {
  return conditionsFrom('id < ?', beforeId ?? INT64_MAX);
}

function conditionsFrom(condition: string, position: bigint): Conditions {
  const conditions: string[] = [];
  const values: Value[] = [];
  function add(condition: string, value: Value): void {
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  }
  add(condition, position);
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
