import { INT64_MAX } from '../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../domain/page.ts';
import type { Value } from './fields.ts';
import { type Query, type Sql, Step, sql } from './statements.ts';

/** A condition of a list: its text for a parameter, and the value; undefined leaves it out. */
type Condition = readonly [text: (parameter: string) => Sql, value: Value | undefined];

/** The statements of lists by what is given: to build one takes longer than to run it. */
const listStatements = new WeakMap<Sql, Map<string, Sql>>();

/** A condition that holds for any of some values; undefined leaves it out. */
type Choice = readonly [text: Condition[0], values: readonly Value[] | undefined];

/**
 * Returns the page of a list by id whose rows meet the conditions. The query has no condition yet. Of
 * a choice, the rows of each value are read side by side, each in the order of its index.
 */
export function listed<Result extends { readonly id: bigint }>(
  { sql: select, resultOf }: Query<Result>,
  { afterId, limit, isDescending = false }: PageRequest,
  conditions: readonly Condition[],
  [choice, values = []]: Choice = [() => sql``, undefined],
): Step<Page<Result>> {
  const given = conditions.filter(([, value]) => value !== undefined);
  const shape = `${isDescending} ${conditions.map(([, value]) => value !== undefined)} ${values.length}`;
  const text = listStatements
    .getOrInsertComputed(select, () => new Map<string, Sql>())
    .getOrInsertComputed(shape, () => {
      const texts = given.map(([condition]) => condition);
      const selects = values.length === 0 ? [texts] : values.map(() => [...texts, choice]);
      return listStatement(select, selects, isDescending);
    });
  const start = afterId ?? (isDescending ? INT64_MAX : 0n);
  const all = [start, limit + 1, ...given.map(([, value]) => value ?? null), ...values];
  return new Step(text, all, (rows) => pageOf(rows.map(resultOf), limit));
}

/** The statement that reads what each of these lists of conditions leaves. Only their last one differs. */
function listStatement(
  select: Sql,
  lists: readonly (readonly Condition[0][])[],
  isDescending: boolean,
): Sql {
  const start = isDescending ? sql`id < $1` : sql`id > $1`;
  const end = sql`ORDER BY id ${isDescending ? 'DESC' : ''} LIMIT $2`;
  const selects = lists.map((texts, list) => {
    const where = texts.reduce((before, text, n) => {
      const own = n === texts.length - 1 ? list : 0;
      return sql`${before} AND ${text(`$${n + 3 + own}`)}`;
    }, start);
    return sql`${select} WHERE ${where} ${end}`;
  });
  const [only] = selects;
  if (only !== undefined && selects.length === 1) return only;
  // Without limits of their own PostgreSQL would read all of them and sort.
  const parts = selects.map((one) => sql`SELECT * FROM (${one}) AS part`);
  return sql`${parts.reduce((before, next) => sql`${before} UNION ALL ${next}`)} ${end}`;
}
