import type { Value } from '../fields.ts';
import { type Cells, EngineStep, Step, type Transactions, type Work } from '../statements.ts';
import type { Session } from './connection.ts';
import type { Access } from './writer.ts';

/** Runs work that is written once for both engines. */
export function createTransactions({ read, write }: Pick<Access, 'read' | 'write'>): Transactions {
  const inRead: Transactions['read'] = (work) => read((session) => done(session, work()));
  return {
    read: inRead,
    // The server searches, and other requests have other connections.
    search: inRead,
    write: (work) => write((session) => done(session, work())),
  };
}

/** A part of such work that needs the session itself. */
export function inSession<Result>(
  work: (session: Session) => Result | Promise<Result>,
): EngineStep<Result> {
  // Only `createTransactions` runs it.
  return new EngineStep((session) => work(session as Session));
}

async function done<Result>(session: Session, work: Work<Result>): Promise<Result> {
  if (work instanceof Step || work instanceof EngineStep) {
    return (await resultOf(session, work)) as Result;
  }
  let state = work.next();
  while (!state.done) {
    let result: unknown;
    try {
      result = await resultOf(session, state.value);
    } catch (error) {
      state = work.throw(error);
      continue;
    }
    state = work.next(result);
  }
  return state.value;
}

async function resultOf(
  session: Session,
  step: Step<unknown> | EngineStep<unknown>,
): Promise<unknown> {
  if (step instanceof EngineStep) return await step.work(session);
  const { sql, values, read } = step;
  if (sql.postgres === '') return undefined;
  const given = 'rows' in values ? [json(values.rows)] : values.map(asInt8);
  if (read === undefined) return await session.run(sql.postgres, ...given);
  return read(await session.query(sql.postgres, ...given));
}

/** JSON has no integers of 64 bits. */
function json(rows: readonly Cells[]): string {
  return JSON.stringify(rows, (_, value) => (typeof value === 'bigint' ? String(value) : value));
}

/** Bun sends a number as an int4 or a float. */
function asInt8(value: Value): Value {
  return typeof value === 'number' ? BigInt(value) : value;
}
