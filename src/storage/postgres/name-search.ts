import { SQL } from 'bun';
import { INT64_MAX } from '../../domain/int64.ts';
import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetFilter } from '../../domain/pet.ts';
import {
  FIRST_SCAN_ROWS,
  hasOthers,
  idAfter,
  indexedPart,
  type NameFilter,
  SCAN_ROWS_MAX,
} from '../name-part.ts';
import { PET_COLUMNS } from '../records/pets.ts';
import { integerList, isIn } from '../statements.ts';
import type { Session, Value } from './connection.ts';

/** As FIRST_SCAN_ROWS, with further conditions: the animals that they leave are far apart. */
const FIRST_SCAN_ROWS_FILTERED = 200;

/**
 * Lists animals by a part of their names. If an operator has created a trigram index, it finds rare
 * parts. Otherwise animals are scanned by id, a bounded number for each page: a page that reaches the
 * bound holds what it found, and the next one continues there.
 */
export async function searchByName(
  session: Session,
  filter: NameFilter,
  { afterId = 0n, limit }: PageRequest,
): Promise<Page<Pet>> {
  const count = hasOthers(filter) ? FIRST_SCAN_ROWS_FILTERED : FIRST_SCAN_ROWS;
  const first = await endOf(session, count, afterId, filter);
  const found = await scanBetween(session, filter, afterId, first ?? INT64_MAX, limit + 1);
  if (first === undefined || found.length > limit) return pageOf(found, limit);
  const missing = limit + 1 - found.length;
  const named = await findByTrigrams(session, filter, first, missing);
  if (named !== undefined) return pageOf([...found, ...named], limit);
  const end = await endOf(session, SCAN_ROWS_MAX, first, filter);
  found.push(...(await scanBetween(session, filter, first, end ?? INT64_MAX, missing)));
  const isWhole = end === undefined || found.length > limit || end >= (await newestId(session));
  return isWhole ? pageOf(found, limit) : { items: found, more: true, resumeAfter: end };
}

/** Returns the id at which the bound is reached, or undefined if fewer animals are left. */
async function endOf(
  session: Session,
  count: number,
  afterId: bigint,
  filter: NameFilter,
): Promise<bigint | undefined> {
  // Without other conditions every id counts, so nothing needs to be read.
  if (!hasOthers(filter)) return idAfter(afterId, count);
  const { where, values, next } = petConditions(afterId, indexedPart(filter));
  const [row] = await session.query<{ id: bigint }>(
    `SELECT id FROM pets WHERE ${where} ORDER BY id LIMIT 1 OFFSET ${next}`,
    ...values,
    count - 1,
  );
  return row?.id;
}

/** Scans the animals between two ids. */
async function scanBetween(
  session: Session,
  filter: NameFilter,
  from: bigint,
  to: bigint,
  limit: number,
): Promise<Pet[]> {
  const conditions = petConditions(from, filter);
  conditions.add('id <= ?', to);
  return await session.query<Pet>(
    `SELECT ${PET_COLUMNS} FROM pets
     WHERE ${conditions.where} ORDER BY id LIMIT ${conditions.next}`,
    ...conditions.values,
    limit,
  );
}

async function newestId(session: Session): Promise<bigint> {
  const [row] = await session.query<{ id: bigint | null }>('SELECT max(id) AS id FROM pets');
  return row?.id ?? 0n;
}

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

/** The conditions of animals above an id that a filter lets through, joined by AND. */
function petConditions(afterId: bigint, filter: PetFilter) {
  const conditions: string[] = [];
  const values: Value[] = [];
  /** Adds a condition: `add('status = ?', status)`. */
  function add(condition: string, value: Value): void {
    values.push(value);
    conditions.push(condition.replace('?', `$${values.length}`));
  }
  add('id > ?', afterId);
  if (filter.status !== undefined) add('status = ?', filter.status);
  if (filter.categoryId !== undefined) add('category_id = ?', filter.categoryId);
  if (filter.ids !== undefined) add(`id ${isIn('?').postgres}`, integerList(filter.ids));
  if (filter.nameFolded !== undefined) add('position(? in name_folded) > 0', filter.nameFolded);
  return {
    add,
    /** The text after WHERE. */
    get where() {
      return conditions.join(' AND ');
    },
    values,
    /** The next free parameter, for example for the limit. */
    get next() {
      return `$${values.length + 1}`;
    },
  };
}
