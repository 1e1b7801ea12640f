import { INT64_MAX } from '../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../domain/page.ts';
import type { Value } from './fields.ts';
import { type Query, type Sql, Step, sql } from './statements.ts';

/** A condition of a list: its text for a parameter, and the value; undefined leaves it out. */
type Condition = readonly [text: (parameter: string) => Sql, value: Value | undefined];

/** The statements of lists by what is given: to build one takes longer than to run it. */
const listStatements = new WeakMap<Sql, Map<string, Sql>>();

/** Returns the page of a list by id whose rows meet the conditions. The query has no condition yet. */
export function listed<Result extends { readonly id: bigint }>(
  { sql: select, resultOf }: Query<Result>,
  { afterId, limit, isDescending = false }: PageRequest,
  conditions: readonly Condition[],
): Step<Page<Result>> {
  const given = conditions.filter(([, value]) => value !== undefined);
  const shape = `${isDescending} ${conditions.map(([, value]) => value !== undefined)}`;
  const text = listStatements
    .getOrInsertComputed(select, () => new Map<string, Sql>())
    .getOrInsertComputed(shape, () => {
      const where = given.reduce(
        (before, [text], n) => sql`${before} AND ${text(`$${n + 3}`)}`,
        isDescending ? sql`id < $1` : sql`id > $1`,
      );
      return sql`${select} WHERE ${where} ORDER BY id ${isDescending ? 'DESC' : ''} LIMIT $2`;
    });
  const start = afterId ?? (isDescending ? INT64_MAX : 0n);
  const all = [start, limit + 1, ...given.map(([, value]) => value ?? null)];
  return new Step(text, all, (rows) => pageOf(rows.map(resultOf), limit));
}
