import { drainMicrotasks } from 'bun:jsc';
import type { Database, SQLQueryBindings, Statement } from 'bun:sqlite';
import { peek } from 'bun';
import { EngineStep, Step, type Transactions, type Work } from '../statements.ts';
import type { Access } from './access.ts';

/**
 * Statements that stay prepared. All that are written out fit; of those that a filter composes, the
 * last used ones do, so that a client cannot fill the memory with combinations.
 */
const STATEMENTS_MAX = 500;

/** Runs work that is written once for both engines, each statement prepared when it first runs. */
export function createTransactions(
  database: Database,
  { read, search, write }: Access,
): Transactions {
  const prepared = new Map<string, Statement<unknown, SQLQueryBindings[]>>();

  // The file stays open until the last statement is finalized.
  const close = database.close.bind(database);
  database.close = (throwOnError) => {
    for (const statement of prepared.values()) statement.finalize();
    prepared.clear();
    close(throwOnError);
  };

  function statementOf(sql: string) {
    const known = prepared.get(sql);
    const statement = known ?? database.prepare<unknown, SQLQueryBindings[]>(sql);
    if (known !== undefined) prepared.delete(sql);
    prepared.set(sql, statement);
    if (prepared.size > STATEMENTS_MAX) {
      const [[oldest, unused] = []] = prepared;
      unused?.finalize();
      prepared.delete(oldest ?? '');
    }
    return statement;
  }

  function resultOf(step: Step<unknown> | EngineStep<unknown>): unknown {
    if (step instanceof EngineStep) return atOnce(step);
    const { sql, values, read } = step;
    if (sql.sqlite === '') return undefined;
    const statement = statementOf(sql.sqlite);
    if ('rows' in values) {
      for (const row of values.rows) statement.run(row);
      return undefined;
    }
    return read === undefined ? statement.run(...values).changes : read(statement.all(...values));
  }

  function done<Result>(work: Work<Result>): Result {
    // A single step is its own result, without the cost of a generator.
    if (work instanceof Step || work instanceof EngineStep) return resultOf(work) as Result;
    let state = work.next();
    while (!state.done) {
      let result: unknown;
      try {
        result = resultOf(state.value);
      } catch (error) {
        state = work.throw(error);
        continue;
      }
      state = work.next(result);
    }
    return state.value;
  }

  return {
    read: (work) => read(() => done(work())),
    search: (work) => search(() => done(work())),
    write: (work) => write(() => done(work())),
  };
}

/**
 * Inside an SQLite transaction everything is done at once, because other requests use the same
 * connection. What such work awaits is already there, so running the microtasks settles its promise.
 */
function atOnce({ work }: EngineStep<unknown>): unknown {
  const result = work(undefined);
  if (!(result instanceof Promise)) return result;
  // The error is thrown below.
  result.catch(() => {});
  drainMicrotasks();
  const settled = peek(result);
  if (settled === result) throw new Error('work waited inside a transaction');
  if (peek.status(result) === 'rejected') throw settled;
  return settled;
}
