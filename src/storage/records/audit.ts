import {
  type AuditFilter,
  type AuditLine,
  type AuditStorage,
  type AuditValue,
  type ChangedFields,
  parseChanged,
} from '../../domain/audit.ts';
import { HOUR_MS } from '../../domain/clock.ts';
import type { Page, PageRequest } from '../../domain/page.ts';
import { listed } from '../lists.ts';
import { methodsOf, sql, type Transactions, type Work } from '../statements.ts';
import type { ChangeRow } from './change.ts';

/** A change, with the names that its ids have now. */
interface LineRow extends ChangeRow {
  readonly key_name: string | null;
  readonly pet_name: string | null;
  readonly subject_name: string | null;
}

const LINES =
  sql`SELECT id, type, at, key_id, record_id, name, category_id, status, pet_id, placed_at, updated_at, data,
      changed, subject_id,
      (SELECT name FROM api_keys WHERE api_keys.id = key_id) AS key_name,
      CASE WHEN type LIKE 'key.%' OR type LIKE 'person.%'
        THEN (SELECT name FROM api_keys WHERE api_keys.id = subject_id) END AS subject_name,
      CASE WHEN pet_id IS NOT NULL THEN coalesce(
        (SELECT name FROM pets WHERE pets.id = changes.pet_id),
        (SELECT name FROM removed_pets WHERE removed_pets.pet_id = changes.pet_id)
      ) END AS pet_name
    FROM changes`.as(lineOf);

function lineOf(row: LineRow): AuditLine {
  const { id, at, type, key_id: keyId, key_name: keyName, changed } = row;
  return {
    ...{ id, at: Number(at), type, subject: subjectOf(row) },
    actor: keyId === null ? null : { keyId, name: keyName },
    changes: changed === null ? wholeRecord(row) : parseChanged(changed),
  };
}

function subjectOf(row: LineRow): AuditLine['subject'] {
  const [resource = ''] = row.type.split('.');
  const petId = row.pet_id ?? undefined;
  const name = row.name ?? row.subject_name ?? row.pet_name ?? undefined;
  const id = row.subject_id ?? row.record_id ?? undefined;
  if (resource === 'profile') return { type: 'pet', id: petId, name };
  if (id !== undefined) return { type: resource, id, petId, name };
  // There is one shop, and the id in its data is no number.
  if (resource === 'shop') return { type: resource, id: undefined, petId, name };
  // The data of a photo or an enquiry has its id.
  const data = row.data === null ? {} : JSON.parse(row.data);
  const given: number | undefined = data.id ?? data.enquiryId ?? data.stayId;
  const ofPart = given === undefined ? undefined : BigInt(given);
  return { type: resource, id: ofPart, petId, name };
}

/** What a creation or a removal changed: the record, which is in the row. */
function wholeRecord({ type, name, category_id, status }: LineRow): ChangedFields | undefined {
  const [resource, verb] = type.split('.');
  const fields: Record<string, AuditValue> = {};
  if (resource === 'pet') Object.assign(fields, { name, categoryId: category_id, status });
  else if (resource === 'category') fields['name'] = name;
  if (verb === 'updated' || Object.keys(fields).length === 0) return undefined;
  const pair = (value: AuditValue) =>
    verb === 'deleted' ? ([value, null] as const) : ([null, value] as const);
  return Object.fromEntries(Object.entries(fields).map(([field, value]) => [field, pair(value)]));
}

/** Changes of an animal, its profile, photos and adoptions. */
const OF_PET = (parameter: string) => sql`id IN (
    SELECT id FROM changes WHERE record_id = ${parameter} AND type LIKE 'pet.%'
    UNION ALL SELECT id FROM changes WHERE pet_id = ${parameter}
  )`;

const FROM_ID = sql`SELECT id, at FROM changes
    WHERE id >= $1 ORDER BY id LIMIT 1`.as<{ readonly id: bigint; readonly at: bigint }>();
const NEWEST = sql`SELECT max(id) AS id FROM changes`.value((id: bigint | null) => id ?? 0n);
/** Whether there is, or was, an animal: on PostgreSQL its first change gets an id a moment later. */
const IS_KNOWN = sql`SELECT (SELECT count(*) FROM pets WHERE id = $1)
    + (SELECT count(*) FROM removed_pets WHERE pet_id = $1) AS n`.value((n: bigint) => n > 0n);
/** Changes are in the order of their times but for clocks that differ and imports under way. */
const DISORDER_MS = HOUR_MS;

/** The first change at or after a time, about: the log has no index by time, and needs none. */
function* firstAt(time: number): Work<bigint> {
  let low = 0n;
  let high = ((yield* NEWEST.one()) ?? 0n) + 1n;
  while (low < high) {
    const middle = (low + high) / 2n;
    const found = yield* FROM_ID.one(middle);
    if (found === undefined || Number(found.at) >= time) high = middle;
    else low = found.id + 1n;
  }
  return low;
}

const BY_HAND = sql`import_id IS NULL`;

function* list(filter: AuditFilter, page: PageRequest): Work<Page<AuditLine>> {
  const { actor, type, petId, importId, from, to } = filter;
  const isAddition = type === 'pet.created';
  const low = from === undefined ? undefined : yield* firstAt(from - DISORDER_MS);
  const high = to === undefined ? undefined : yield* firstAt(to + DISORDER_MS);
  // One bound at each end: SQLite looks for the first of two, which may be the looser one.
  const { afterId, isDescending } = page;
  const bound = isDescending ? high : low === undefined ? undefined : low - 1n;
  const isTighter =
    bound !== undefined &&
    (afterId === undefined || (isDescending ? bound < afterId : bound > afterId));
  const within = { ...page, afterId: isTighter ? bound : afterId };
  return yield* listed(LINES, within, [
    [(at) => sql`id >= ${at}`, isDescending ? low : undefined],
    [(at) => sql`id < ${at}`, isDescending ? undefined : high],
    [(at) => sql`at >= ${at}`, from],
    [(at) => sql`at < ${at}`, to],
    ['key_id', actor],
    // The index by type leaves out additions, of which most of the log consists.
    ['type', isAddition ? type : undefined],
    [(name) => sql`type = ${name} AND type <> 'pet.created'`, isAddition ? undefined : type],
    [OF_PET, petId],
    ['import_id', importId],
    petId === undefined && importId === undefined ? BY_HAND : undefined,
  ]);
}

/** The audit. */
export function createAuditStorage(transactions: Transactions): AuditStorage {
  return methodsOf<AuditStorage>(transactions).reads({
    list,
    *history(petId, page) {
      const lines = yield* list({ petId }, page);
      if (lines.items.length > 0 || (page.afterId ?? 0n) > 0n) return lines;
      return (yield* IS_KNOWN.only(petId)) ? lines : undefined;
    },
  });
}
