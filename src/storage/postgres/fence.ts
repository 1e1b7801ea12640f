import { FENCE_TABLE, type Fence, literal, writeRefusal } from '../fence.ts';
import { COPIED, NOT_COPIED } from '../tables.ts';
import type { Session } from './connection.ts';

const REFUSE = 'refuse_write';
const TRIGGER = 'fenced';
/** operator_intervention: the service treats it as a database that cannot serve now. */
const REFUSED = '57000';

/** Returns the fence of a database that has the table for it. */
export async function readFence(session: Session): Promise<Fence | undefined> {
  const [row] = await session.query<Omit<Fence, 'at'> & { at: bigint }>(
    `SELECT role, other, at, id FROM ${FENCE_TABLE}`,
  );
  return row === undefined ? undefined : { ...row, at: Number(row.at) };
}

/** Returns the fence of a database, if it has one. */
export async function findFence(session: Session): Promise<Fence | undefined> {
  const [table] = await session.query(
    `SELECT 1 AS one FROM information_schema.tables
     WHERE table_schema = current_schema() AND table_name = '${FENCE_TABLE}'`,
  );
  return table === undefined ? undefined : await readFence(session);
}

/** The tables whose rows belong to the shop. Changes without an id do too. */
export const ALL_TABLES = [...COPIED, 'unnumbered_changes', ...NOT_COPIED];

/** Fences a database inside a transaction. Uses row triggers, which most engines have. */
export async function fence(session: Session, { role, other, at, id }: Fence): Promise<void> {
  await session.run(
    `CREATE TABLE ${FENCE_TABLE} (role text NOT NULL, other text NOT NULL, at bigint NOT NULL,
       id text NOT NULL)`,
  );
  const text = `INSERT INTO ${FENCE_TABLE} (role, other, at, id) VALUES ($1, $2, $3, $4)`;
  await session.run(text, role, other, BigInt(at), id);
  const refusal = literal(writeRefusal({ role, other, at, id }));
  const body = `BEGIN RAISE EXCEPTION USING MESSAGE = ${refusal}, ERRCODE = '${REFUSED}'; END`;
  await session.run(
    `CREATE FUNCTION ${REFUSE}() RETURNS trigger LANGUAGE plpgsql AS ${literal(body)}`,
  );
  for (const name of ALL_TABLES) {
    await session.run(
      `CREATE TRIGGER ${TRIGGER} BEFORE INSERT OR UPDATE OR DELETE ON ${name}
       FOR EACH ROW EXECUTE FUNCTION ${REFUSE}()`,
    );
  }
}

/** Lifts the fence inside a transaction. */
export async function liftFence(session: Session): Promise<void> {
  // CASCADE drops its triggers, on any tables that an earlier release fenced.
  await session.run(`DROP FUNCTION ${REFUSE}() CASCADE`);
  await session.run(`DROP TABLE ${FENCE_TABLE}`);
}
