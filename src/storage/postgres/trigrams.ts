import { SQL } from 'bun';
import type { Pet } from '../../domain/pet.ts';
import type { NameFilter } from '../name-part.ts';
import { PET_COLUMNS } from '../records/pets.ts';
import { petConditions } from './conditions.ts';
import type { Session } from './connection.ts';

/** A trigram index of names, which an operator may create (docs/OPERATING.md). */
export interface TrigramIndex {
  /** The LC_CTYPE of the database, which decides what counts as a letter. */
  readonly characters: string;
}

/** Bounds a search by the index, which is slow for a part that many names have. */
const TIMEOUT_MS = 100;
/** query_canceled: the statement took too long. */
const CANCELLED = '57014';

/** With these, the index holds only ASCII. */
const ASCII_ONLY = /^(?:C|POSIX)$/;
const ASCII_TRIGRAM = /[a-z0-9]{3}/;
const TRIGRAM = /[\p{L}\p{N}]{3}/u;

/** Finds a complete trigram index by any name, or returns undefined. */
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

/** Without a trigram of the index, the whole index would be read. */
export function servesPart({ characters }: TrigramIndex, part: string): boolean {
  return (ASCII_ONLY.test(characters) ? ASCII_TRIGRAM : TRIGRAM).test(part);
}

/**
 * Finds the animals from an id on that match a filter, by the trigram index. Returns undefined if no
 * index serves the part, or if it takes longer than `timeoutMs`.
 */
export async function findByTrigrams(
  session: Session,
  filter: NameFilter,
  from: bigint,
  limit: number,
  timeoutMs = TIMEOUT_MS,
): Promise<Pet[] | undefined> {
  const index = await findTrigramIndex(session);
  if (index === undefined || !servesPart(index, filter.nameFolded)) return undefined;
  const conditions = petConditions(from, filter);
  conditions.add('name_folded LIKE ?', `%${filter.nameFolded.replace(/[\\%_]/g, '\\$&')}%`);
  const { where, next, values } = conditions;
  await session.run('BEGIN READ ONLY');
  try {
    await session.run(`SET LOCAL statement_timeout = ${timeoutMs}`);
    // Without MATERIALIZED, ORDER BY and LIMIT would make the server scan animals by id.
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
    // Fails too if the connection is lost; the first error is thrown already.
    await session.run('ROLLBACK').catch(() => undefined);
  }
}
