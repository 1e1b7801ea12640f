import { type Page, type PageRequest, pageOf } from '../../domain/page.ts';
import type { Pet, PetFilter } from '../../domain/pet.ts';
import { type Condition, idAfter, listed, processorMs } from '../lists.ts';
import { integerList, isIn, type Sql, type Step, sql, type Work } from '../statements.ts';
import { PET_COLUMNS } from './pet-rows.ts';

const LIST = sql`SELECT ${PET_COLUMNS} FROM pets`.as<Pet>();
const IDS = sql`SELECT id FROM pets`.value<bigint>();

/** The conditions by which an index has animals in the order of their ids: all but the name. */
function conditionsOf({ status, categoryId, ids }: PetFilter): readonly Condition[] {
  return [
    ['category_id', categoryId],
    [(parameter) => sql`id ${isIn(parameter)}`, ids && integerList(ids)],
    ['status', status],
  ];
}

/** Lists animals by anything but their names. */
export function petList(filter: PetFilter, page: PageRequest): Step<Page<Pet>> {
  return listed(LIST, page, conditionsOf(filter));
}

/** A filter by a part of a name. */
interface NameFilter extends PetFilter {
  readonly nameFolded: string;
}

/** How many animals a page looks through, one slice after the other: 22,000 in all, which takes about 5 ms. */
const SLICES = [1_000, 2_000, 4_000, 5_000, 5_000, 5_000];
/** The processor time after which a page ends early: the longest names take ten times as long. */
const PAGE_MS = 6;

const contains = (parameter: string): Sql => ({
  sqlite: `instr(name_folded, ${parameter}) > 0`,
  postgres: `position(${parameter} in name_folded) > 0`,
});
const isUpTo = (parameter: string) => sql`id <= ${parameter}`;

/**
 * Lists animals by a part of their names: looks at one after the other in the order of their ids. A page that has
 * looked through as many as it may holds what it found, and the next one continues there.
 */
export function* searchByName(
  filter: NameFilter,
  { afterId = 0n, limit }: PageRequest,
  now: () => number = processorMs,
): Work<Page<Pet>> {
  // PostgreSQL takes no NUL, and no name has one.
  if (filter.nameFolded.includes('\0')) return pageOf([], limit);
  const endsAt = now() + PAGE_MS;
  const conditions = conditionsOf(filter);
  const found: Pet[] = [];
  let from = afterId;
  for (const count of SLICES) {
    const end = yield* idAfter(IDS, from, count, conditions);
    const page = yield* listed(LIST, { afterId: from, limit: limit - found.length }, [
      ...conditions,
      [isUpTo, end],
      [contains, filter.nameFolded],
    ]);
    found.push(...page.items);
    if (page.more || end === undefined) return { ...page, items: found };
    from = end;
    if (now() > endsAt) break;
  }
  return { items: found, more: true, resumeAfter: from };
}
