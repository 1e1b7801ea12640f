import { SQL } from 'bun';
import type { Pet } from '../../domain/pet.ts';
import type { NameFilter } from '../name-part.ts';
import { PET_COLUMNS } from '../rows/pet.ts';
import type { Session } from './connection.ts';
import { petConditions } from './pet-conditions.ts';

/** An index of the trigrams of names, which an operator may make (docs/OPERATING.md). */
export interface TrigramIndex {
  /** How the database tells letters from other characters: LC_CTYPE. */
  readonly characters: string;
}

/** How long the index may take. What it finds for a part that many names have is not worth more. */
const PATIENCE_MS = 100;
/** The server ended a statement that took too long. */
const CANCELLED = '57014';

/** In these the index holds ASCII alone. */
const ASCII_ONLY = /^(?:C|POSIX)$/;
const ASCII_TRIGRAM = /[a-z0-9]{3}/;
const TRIGRAM = /[\p{L}\p{N}]{3}/u;

/** Finds the index, by whatever name; undefined where there is none that is finished. */
export async function findTrigramIndex(session: Session): Promise<TrigramIndex | undefined> {
  const [index] = await session.query<TrigramIndex>(
    `SELECT CAST(datctype AS text) AS characters
     FROM pg_index, pg_opclass, pg_database
     WHERE indrelid = to_regclass('pets') AND indisvalid AND pg_opclass.oid = indclass[0]
       AND opcname = 'gin_trgm_ops' AND indpred IS NULL
       AND pg_get_indexdef(indexrelid, 1, true) = 'name_folded'
       AND datname = current_database()
     LIMIT 1`,
  );
  return index;
}

/** Whether an index has anything of a part to look for, so that it need not be read as a whole. */
export function servesPart({ characters }: TrigramIndex, part: string): boolean {
  return (ASCII_ONLY.test(characters) ? ASCII_TRIGRAM : TRIGRAM).test(part);
}

/**
 * Animals above an id that a filter lets through, found by the index of trigrams; undefined where
 * none serves the part, or it took longer than `patienceMs`.
 */
export async function findByTrigrams(
  session: Session,
  filter: NameFilter,
  from: bigint,
  limit: number,
  patienceMs = PATIENCE_MS,
): Promise<Pet[] | undefined> {
  const index = await findTrigramIndex(session);
  if (index === undefined || !servesPart(index, filter.nameFolded)) return undefined;
  const conditions = petConditions(from, filter);
  conditions.add('name_folded LIKE ?', `%${filter.nameFolded.replace(/[\\%_]/g, '\\$&')}%`);
  const { where, next, values } = conditions;
  await session.run('BEGIN READ ONLY');
  try {
    await session.run(`SET LOCAL statement_timeout = ${patienceMs}`);
    // With an order and a limit beside it, the server would go through the animals by their ids.
    return await session.query<Pet>(
      `WITH named AS MATERIALIZED (SELECT * FROM pets WHERE ${where})
       SELECT ${PET_COLUMNS} FROM named ORDER BY id LIMIT ${next}`,
      ...values,
      limit,
    );
  } catch (error) {
    if (error instanceof SQL.PostgresError && error.errno === CANCELLED) return undefined;
    throw error;
  } finally {
    // Where the connection is lost this fails too, and what is thrown already says so.
    await session.run('ROLLBACK').catch(() => undefined);
  }
}
