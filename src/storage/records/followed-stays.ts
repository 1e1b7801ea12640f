import type { ChangeStamp } from '../../domain/change-stamp.ts';
import { Failure } from '../../domain/failure.ts';
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
import type { Work } from '../statements.ts';
import { indexRemoved } from './animal-rows.ts';
import type { EngineWrites, PetUpdate, RecordWrites } from './pets.ts';
import { noteShown, profilesOf, relist, saveProfiles } from './profiles.ts';
import { addStay, saveStay, staysOf } from './stay-rows.ts';

/** An open stay of which only the day is known. */
export const OPENED: Omit<StayFields, 'intakeDate'> = {
  ...{ intakeType: null, outcomeDate: null, outcomeType: null, note: null },
};

/** The writes of an engine, after which stays, listings and the list of staff match the animals. */
export function withStays(writes: EngineWrites): RecordWrites {
  return {
    ...writes,
    *saveAll(updates, stamp) {
      yield* refuseHeld(updates, stamp);
      yield* writes.saveAll(updates, stamp);
      yield* followStatuses(writes, updates, stamp);
      const ids = updates.map(({ pet }) => pet.id);
      yield* relist(ids, stamp.at);
      yield* noteShown(ids, stamp.at);
    },
    *endStay({ id }, stamp) {
      const newest = yield* newestOf(id);
      if (newest !== undefined && newest.outcomeDate === null) {
        const outcomeDate = laterOf(today(stamp), newest.intakeDate);
        const ended = { ...newest, outcomeDate, outcomeType: 'other' } as const;
        yield* saveStay(writes, newest, ended, yield* profileOf(id), stamp);
      }
      yield* indexRemoved([id]);
    },
  };
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
function* followStatuses(
  writes: EngineWrites,
  updates: readonly PetUpdate[],
  stamp: ChangeStamp,
): Work<void> {
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
      yield* saveStay(writes, newest, ended, known, stamp);
    } else if (newest?.outcomeDate != null && isWithinADay(newest.outcomeDate, stamp)) {
      yield* saveStay(writes, newest, reopened(newest), known, stamp);
    } else {
      yield* comeBack(writes, pet.id, today(stamp), stamp);
    }
  }
}

function leftBefore({ intakeDate }: Stay): Failure {
  return new Failure('conflict', `The animal came on ${intakeDate}: it cannot leave before.`);
}

const reopened = (stay: Stay): Stay => ({ ...stay, outcomeDate: null, outcomeType: null });

/** Opens the newest stay of an animal that was removed and is back. */
export function* reopenStay(writes: EngineWrites, petId: bigint, stamp: ChangeStamp): Work<void> {
  const newest = yield* newestOf(petId);
  if (newest === undefined || newest.outcomeDate === null) return;
  yield* saveStay(writes, newest, reopened(newest), yield* profileOf(petId), stamp);
}

/** Starts a stay of the type `return`, not before the last one ended. */
function* comeBack(
  writes: EngineWrites,
  petId: bigint,
  date: string,
  stamp: ChangeStamp,
): Work<void> {
  const last = yield* newestOf(petId);
  const intakeDate = laterOf(date, last?.outcomeDate ?? null);
  const stay = { ...OPENED, intakeDate, intakeType: 'return' } as const;
  yield* addStay(writes, petId, stay, yield* profileOf(petId), stamp);
  yield* followIntake(writes, petId, stamp);
}

/** Says in the profile since when the animal is in care, and whether it may be shown. */
export function* followIntake(
  writes: EngineWrites,
  petId: bigint,
  stamp: ChangeStamp,
  published?: false,
): Work<void> {
  const newest = yield* newestOf(petId);
  if (newest === undefined) return;
  const change = { inCareSince: newest.intakeDate, published };
  yield* saveProfiles(writes, [{ petId, change }], stamp);
}
