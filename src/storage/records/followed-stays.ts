import { changedPetText } from '../../domain/audit.ts';
import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
import { foldName } from '../../domain/name.ts';
import type { Pet } from '../../domain/pet.ts';
import { EMPTY_PROFILE, type Profile } from '../../domain/profile.ts';
import {
  isWithinADay,
  laterOf,
  requireNotHeld,
  type Stay,
  type StayFields,
  today,
} from '../../domain/stay.ts';
import { given, greatest, sql, type Work } from '../statements.ts';
import { indexRemoved } from './animal-rows.ts';
import { loggedPet, note } from './notes.ts';
import type { PetUpdate } from './pet-rows.ts';
import { noteShown, profilesOf, relist, saveProfiles } from './profiles.ts';
import { addStay, saveStay, staysOf } from './stay-rows.ts';

/** An open stay of which only the day is known. */
export const OPENED: Omit<StayFields, 'intakeDate'> = {
  ...{ intakeType: null, outcomeDate: null, outcomeType: null, note: null },
};

const SAVE = sql`UPDATE pets SET name = given.name, name_folded = given.name_folded,
    category_id = given.category_id, status = given.status,
    was_offered = ${greatest}(was_offered, CAST(given.status <> 'sold' AS integer))
  FROM ${given('id bigint, name text, name_folded text, category_id bigint, status text')}
  WHERE pets.id = given.id`;

/** Saves locked animals, each of which differs from before. Stays, listings and the list of staff follow. */
export function* savePets(updates: readonly PetUpdate[], stamp: ChangeStamp): Work<void> {
  yield* refuseHeld(updates, stamp);
  yield* SAVE.forRows(updates.map(({ pet }) => ({ ...pet, nameFolded: foldName(pet.name) })));
  const rows = updates.map(({ before, pet }) => ({
    ...loggedPet(pet),
    changed: changedPetText(before, pet),
  }));
  yield* note('pet.updated', stamp, rows);
  yield* followStatuses(updates, stamp);
  const ids = updates.map(({ pet }) => pet.id);
  yield* relist(ids, stamp.at);
  yield* noteShown(ids, stamp.at);
}

/** Ends the stay of a locked animal that is about to be removed, and was kept with all that brings it back. */
export function* endStay({ id }: Pet, stamp: ChangeStamp): Work<void> {
  const newest = yield* newestOf(id);
  if (newest !== undefined && newest.outcomeDate === null) {
    const outcomeDate = laterOf(today(stamp), newest.intakeDate);
    const ended = { ...newest, outcomeDate, outcomeType: 'other' } as const;
    yield* saveStay(newest, ended, yield* profileOf(id), stamp);
  }
  yield* indexRemoved([id]);
}

/** Returns the newest stay of an animal. */
export function* newestOf(petId: bigint): Work<Stay | undefined> {
  return (yield* staysOf([petId])).get(petId)?.at(-1);
}

/** Returns what is known of an animal. */
export function* profileOf(petId: bigint): Work<Profile> {
  return (yield* profilesOf([petId])).get(petId) ?? EMPTY_PROFILE;
}

/** Returns whether an animal has left. */
export const isGone = ({ status }: Pet) => status === 'sold';

/** Throws `conflict` if somebody adopts an animal that is held. */
function* refuseHeld(updates: readonly PetUpdate[], stamp: ChangeStamp): Work<void> {
  for (const { before, pet, isAdoption } of updates) {
    if (isAdoption && isGone(pet) && !isGone(before)) {
      requireNotHeld(pet.id, yield* profileOf(pet.id), today(stamp));
    }
  }
}

/** Ends and opens the stays of animals whose status says that they left or came back. */
function* followStatuses(updates: readonly PetUpdate[], stamp: ChangeStamp): Work<void> {
  const moved = updates.filter(
    ({ before, pet, hasStay }) => !hasStay && isGone(before) !== isGone(pet),
  );
  if (moved.length === 0) return;
  const ids = moved.map(({ pet }) => pet.id);
  const [stays, profiles] = [yield* staysOf(ids), yield* profilesOf(ids)];
  for (const { pet, leftOn } of moved) {
    const newest = stays.get(pet.id)?.at(-1);
    const known = profiles.get(pet.id) ?? EMPTY_PROFILE;
    if (isGone(pet)) {
      if (newest === undefined || newest.outcomeDate !== null) continue;
      if (leftOn !== undefined && leftOn < newest.intakeDate) throw leftBefore(newest);
      const outcomeDate = leftOn ?? laterOf(today(stamp), newest.intakeDate);
      const ended = { ...newest, outcomeDate, outcomeType: 'adopted' } as const;
      yield* saveStay(newest, ended, known, stamp);
    } else if (newest?.outcomeDate != null && isWithinADay(newest.outcomeDate, stamp)) {
      yield* saveStay(newest, reopened(newest), known, stamp);
    } else {
      yield* comeBack(pet.id, today(stamp), stamp);
    }
  }
}

function leftBefore({ intakeDate }: Stay): Failure {
  return new Failure('conflict', `The animal came on ${intakeDate}: it cannot leave before.`);
}

const reopened = (stay: Stay): Stay => ({ ...stay, outcomeDate: null, outcomeType: null });

/** Opens the newest stay of an animal that was removed and is back. */
export function* reopenStay(petId: bigint, stamp: ChangeStamp): Work<void> {
  const newest = yield* newestOf(petId);
  if (newest === undefined || newest.outcomeDate === null) return;
  yield* saveStay(newest, reopened(newest), yield* profileOf(petId), stamp);
}

/** Starts a stay of the type `return`, not before the last one ended. */
function* comeBack(petId: bigint, date: string, stamp: ChangeStamp): Work<void> {
  const last = yield* newestOf(petId);
  const intakeDate = laterOf(date, last?.outcomeDate ?? null);
  const stay = { ...OPENED, intakeDate, intakeType: 'return' } as const;
  yield* addStay(petId, stay, yield* profileOf(petId), stamp);
  yield* followIntake(petId, stamp);
}

/** Says in the profile since when the animal is in care, and whether it may be shown. */
export function* followIntake(petId: bigint, stamp: ChangeStamp, published?: false): Work<void> {
  const newest = yield* newestOf(petId);
  if (newest === undefined) return;
  const change = { inCareSince: newest.intakeDate, published };
  yield* saveProfiles([{ petId, change }], stamp);
}
