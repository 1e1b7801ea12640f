import { INT64_MAX } from '../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../domain/page.ts';
import type { Value } from './fields.ts';
import { type Query, type Sql, Step, sql } from './statements.ts';

/**
 * A condition of a list: SQL; or a column and the value it must equal; or a function that makes SQL of the parameter, and
 * its value. Undefined, and an undefined value, leave it out.
 */
export type Condition =
  | Sql
  | undefined
  | readonly [column: string | ((parameter: string) => Sql), value: Value | undefined];

/** The statements of lists by what is given: to build one takes longer than to run it. */
const listStatements = new WeakMap<Sql, Map<string, Sql>>();

/** What follows the conditions in a list by id. */
const ASCENDING = 'ORDER BY id LIMIT $2';
const DESCENDING = 'ORDER BY id DESC LIMIT $2';
const ONE_OF_THEM = 'ORDER BY id LIMIT 1 OFFSET $2';

function statementOf(select: Sql, conditions: readonly Condition[], end: string): Sql {
  const shape = conditions.map((each) => valueIn(each) !== undefined || isWhole(each));
  return listStatements
    .getOrInsertComputed(select, () => new Map<string, Sql>())
    .getOrInsertComputed(`${end} ${shape}`, () => {
      let [where, parameters]: [Sql, number] = [sql`id ${end === DESCENDING ? '<' : '>'} $1`, 2];
      for (const each of conditions) {
        if (isWhole(each)) where = sql`${where} AND ${each}`;
        if (each === undefined || isWhole(each) || each[1] === undefined) continue;
        const [column] = each;
        const parameter = `$${++parameters}`;
        const text = typeof column === 'string' ? sql`${column} = ${parameter}` : column(parameter);
        where = sql`${where} AND ${text}`;
      }
      return sql`${select} WHERE ${where} ${end}`;
    });
}

const isWhole = (each: Condition): each is Sql => each !== undefined && 'sqlite' in each;
const valueIn = (each: Condition) => (each === undefined || isWhole(each) ? undefined : each[1]);

function valuesOf(conditions: readonly Condition[]): Value[] {
  return conditions.map(valueIn).filter((value) => value !== undefined);
}

/** Returns the page of a list by id whose rows meet the conditions. The query has no condition yet. */
export function listed<Result extends { readonly id: bigint }>(
  { sql: select, resultOf }: Query<Result>,
  { afterId, limit, isDescending = false }: PageRequest,
  conditions: readonly Condition[] = [],
): Step<Page<Result>> {
  const text = statementOf(select, conditions, isDescending ? DESCENDING : ASCENDING);
  const start = afterId ?? (isDescending ? INT64_MAX : 0n);
  const all = [start, limit + 1, ...valuesOf(conditions)];
  return new Step(text, all, (rows) => pageOf(rows.map(resultOf), limit));
}

/** Returns the id of the row that is this many rows after an id in such a list; undefined if fewer are left. */
export function idAfter(
  { sql: select, resultOf }: Query<bigint>,
  afterId: bigint,
  rows: number,
  conditions: readonly Condition[],
): Step<bigint | undefined> {
  const text = statementOf(select, conditions, ONE_OF_THEM);
  const all = [afterId, rows - 1, ...valuesOf(conditions)];
  return new Step(text, all, ([row]) => (row === undefined ? undefined : resultOf(row)));
}

/** The processor time of this thread, in milliseconds: bounds searches, on a busy machine too. */
export function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
