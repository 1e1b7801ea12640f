import { changedFields, changedText } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import type { Pet } from '../../domain/pet.ts';
import { dateText, type Profile } from '../../domain/profile.ts';
import {
  ageAt,
  areApart,
  type IntakeType,
  inOrder,
  type OutcomeType,
  overlaps,
  type Stay,
  type StayFields,
} from '../../domain/stay.ts';
import { fieldsOf, plain } from '../fields.ts';
import { given, integerList, isIn, sql, type Work } from '../statements.ts';
import { noteAudit, noteParts } from './notes.ts';

export const STAY = fieldsOf({
  id: plain<bigint>(),
  petId: plain<bigint>(),
  intakeDate: plain<string>(),
  intakeType: plain<IntakeType | null>(),
  outcomeDate: plain<string | null>(),
  outcomeType: plain<OutcomeType | null>(),
  note: plain<string | null>(),
});

const OF_PETS = sql`SELECT ${STAY.columns} FROM stays WHERE pet_id ${isIn('$1')} ORDER BY id`.as(
  STAY,
);
const INSERT = sql`INSERT INTO stays
    (pet_id, intake_date, intake_type, outcome_date, outcome_type, note, species, age)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8) RETURNING ${STAY.columns}`.as(STAY);
const SAVE = sql`UPDATE stays SET intake_date = $2, intake_type = $3, outcome_date = $4, outcome_type = $5,
    note = $6, species = $7, age = $8 WHERE id = $1`;
const CLASSIFY = sql`UPDATE stays SET species = given.species, age = given.age
  FROM ${given('id bigint, species text, age text')} WHERE stays.id = given.id`;
const MOVE = sql`UPDATE stays SET intake_date = given.date, age = given.age
  FROM ${given('id bigint, date text, age text')} WHERE stays.id = given.id`;
/** Removes all stays of an animal, before others are added. */
export const FORGET_STAYS = sql`DELETE FROM stays WHERE pet_id = $1`;

/** What an animal's profile says of its stays. */
type Known = Pick<Profile, 'species' | 'birthDate'>;

/** The first stay of a new animal: from today, and only today if it is `sold`. */
export function firstStay({ status }: Pick<Pet, 'status'>, at: number) {
  const day = dateText(at);
  const isGone = status === 'sold';
  return {
    day,
    outcome: isGone ? 'adopted' : null,
    state: isGone ? 'left' : 'here',
    profile: JSON.stringify({ inCareSince: day }),
  } as const;
}

/** Returns the stays of animals by animal, each in their order. */
export function* staysOf(petIds: readonly bigint[]): Work<ReadonlyMap<bigint, readonly Stay[]>> {
  const found = Map.groupBy(yield* OF_PETS.all(integerList(petIds)), ({ petId }) => petId);
  return new Map([...found].map(([petId, own]) => [petId, inOrder(own)]));
}

const valuesOf = (stay: StayFields, { species, birthDate }: Known) => [
  ...[stay.intakeDate, stay.intakeType, stay.outcomeDate, stay.outcomeType, stay.note],
  ...[species ?? 'unknown', ageAt(birthDate, stay.intakeDate)],
];

/** Throws `conflict` unless the stays of an animal are apart once this one is among them. */
export function requireApart(own: readonly Stay[], stay: Stay): void {
  const others = own.filter(({ id }) => id !== stay.id);
  if (!areApart(inOrder([...others, stay]))) throw overlaps(stay.petId);
}

/** Adds a stay of a locked animal. */
export function* addStay(
  petId: bigint,
  fields: StayFields,
  known: Known,
  stamp: ChangeStamp,
): Work<Stay> {
  const stay = yield* INSERT.only(petId, ...valuesOf(fields, known));
  yield* noteStay(undefined, stay, stamp);
  return stay;
}

/** Saves a stay of a locked animal. */
export function* saveStay(before: Stay, stay: Stay, known: Known, stamp: ChangeStamp): Work<void> {
  yield* SAVE.run(stay.id, ...valuesOf(stay, known));
  yield* noteStay(before, stay, stamp);
}

/** Events say when, the audit how: types and notes are private. */
function* noteStay(before: Stay | undefined, stay: Stay, stamp: ChangeStamp): Work<void> {
  const { id, petId, intakeDate, outcomeDate } = stay;
  const shown = (of: Stay | undefined): Partial<StayFields> | undefined => {
    const { id: _, petId: __, ...fields } = of ?? {};
    return of && fields;
  };
  const changed = changedFields(shown(before), shown(stay), ['note']);
  if (Object.keys(changed).length === 0) return;
  const wasOpen = before !== undefined && before.outcomeDate === null;
  const isStart = before === undefined || (!wasOpen && outcomeDate === null);
  if (!isStart && wasOpen === (outcomeDate === null)) {
    yield* noteAudit('stay.updated', { id, petId }, changed, stamp);
    return;
  }
  const data = JSON.stringify({ stayId: Number(id), intakeDate, outcomeDate });
  const part = { petId, data, changed: changedText(changed) };
  if (isStart) yield* noteParts('stay.started', [part], stamp);
  if (outcomeDate !== null) yield* noteParts('stay.ended', [part], stamp);
}

/**
 * Moves the first day of the newest stay of each locked animal. The change of the profile says it. Throws
 * `conflict` if stays overlap.
 */
export function* moveIntakes(
  moves: ReadonlyMap<bigint, { readonly date: string; readonly birthDate: string | null }>,
): Work<void> {
  if (moves.size === 0) return;
  const rows = [];
  const all = yield* staysOf([...moves.keys()]);
  for (const [petId, { date, birthDate }] of moves) {
    const own = all.get(petId) ?? [];
    const newest = own.at(-1);
    if (newest === undefined || newest.intakeDate === date) continue;
    if ((newest.outcomeDate ?? date) < date) throw overlaps(petId);
    requireApart(own, { ...newest, intakeDate: date });
    rows.push({ id: newest.id, date, age: ageAt(birthDate, date) });
  }
  if (rows.length > 0) yield* MOVE.forRows(rows);
}

/** Counts the stays of animals by what their profiles say now. */
export function* classifyStays(known: ReadonlyMap<bigint, Known>): Work<void> {
  if (known.size === 0) return;
  const all = yield* staysOf([...known.keys()]);
  const rows = [...all].flatMap(([petId, own]) => {
    const { species = null, birthDate = null } = known.get(petId) ?? {};
    return own.map(({ id, intakeDate }) => ({
      ...{ id, species: species ?? 'unknown', age: ageAt(birthDate, intakeDate) },
    }));
  });
  if (rows.length > 0) yield* CLASSIFY.forRows(rows);
}
