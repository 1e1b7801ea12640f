/** Making the same change to several animals. */

import { categoryName } from '../../categories.ts';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { count, formatList } from '../../format.ts';
import { t, translate } from '../../language.ts';
import { announce } from '../../live.ts';
import { notify } from '../../notices.tsx';
import {
  type Pet,
  type PetChange,
  type Profile,
  type ProfileChange,
  store,
} from '../../service.ts';
import { statusWord } from '../../words.ts';
import { CategoryField, readCategory } from './animal-fields.tsx';
import type { AnimalRow } from './animal-table.tsx';
import { runWork } from './bulk-run.tsx';
import { STATUS_OPTIONS, STATUSES } from './filter.ts';

/** Names in a question; of more animals, the number is told. */
const NAMES_MAX = 8;
const PLACE_MAX = 100;

export type BulkField = 'status' | 'category' | 'place';

interface BulkDialogProps {
  readonly field: BulkField;
  readonly animals: readonly AnimalRow[];
  /** Called when something was done to them. */
  readonly onDone: () => void;
}

/** Asks for the new status, category or place. */
export function BulkDialog({ field, animals, onDone }: BulkDialogProps) {
  const counted = count(animals.length, 'animal');
  const pets = animals.map(({ pet }) => pet);

  async function submit(read: ReadField) {
    const change = (to: PetChange, title: string, result: string) =>
      void changeAll(pets, to, title, result).then(onDone);
    const status = STATUSES.find((one) => one === read('status'));
    if (status) {
      return change({ status }, t`Changing the status of ${counted}`, t`now ${statusWord(status)}`);
    }
    if (field === 'place') {
      const location = read('location') || null;
      const result = location === null ? t`now without a place` : t`now in ${location}`;
      return void describeAll(animals, { location }, t`Moving ${counted}`, result).then(onDone);
    }
    const categoryId = await readCategory(read);
    const name = categoryName(categoryId);
    change({ categoryId }, t`Moving ${counted} to ${name}`, t`now in ${name}`);
  }

  return (
    <FormDialog
      title={t`Change the ${translate(field)} of ${counted}`}
      action={t`Change ${translate(field)}`}
      onSubmit={submit}
    >
      <p>{namesOf(pets)}</p>
      {field === 'category' && <CategoryField />}
      {field === 'status' && (
        <Select label={t`New status`} name="status" value="available" options={STATUS_OPTIONS} />
      )}
      {field === 'place' && (
        <Field
          label={t`New place`}
          name="location"
          maxLength={PLACE_MAX}
          hint={t`Such as Kennel 12. Leave it empty for none.`}
        />
      )}
    </FormDialog>
  );
}

/** Shows several animals to the public, or no longer does. */
export function publishAll(animals: readonly AnimalRow[], published: boolean): Promise<void> {
  const counted = count(animals.length, 'animal');
  return published
    ? describeAll(animals, { published }, t`Publishing ${counted}`, t`published`)
    : describeAll(animals, { published }, t`Hiding ${counted}`, t`no longer published`);
}

/** Makes the same change to several animals. The notice can undo it. */
function changeAll(pets: readonly Pet[], change: PetChange, title: string, result: string) {
  return runUndoable<Pet, PetChange>(pets, title, result, {
    seen: (pet) => pet,
    change,
    send: ({ id }, to, ifMatch) => store.pets.update(id, to, { ifMatch }),
  });
}

/** The same to their profiles. */
function describeAll(
  animals: readonly AnimalRow[],
  change: ProfileChange,
  title: string,
  result: string,
) {
  const profiles = new Map(animals.map(({ pet, profile }) => [pet.id, profile]));
  const pets = animals.map(({ pet }) => pet);
  return runUndoable<Profile, ProfileChange>(pets, title, result, {
    seen: ({ id }) => (profiles.get(id) ?? {}) as ProfileChange,
    change,
    send: ({ id }, to, ifMatch) => store.pets.updateProfile(id, to, { ifMatch }),
  });
}

interface Undoable<T, Change> {
  /** The record as it was before. */
  readonly seen: (pet: Pet) => Change;
  readonly change: Change;
  readonly send: (pet: Pet, change: Change, ifMatch: T | undefined) => Promise<T>;
}

async function runUndoable<T, Change extends object>(
  pets: readonly Pet[],
  title: string,
  result: string,
  { seen, change, send }: Undoable<T, Change>,
): Promise<void> {
  const results = new Map<Pet['id'], T>();
  const act = async (pet: Pet) => results.set(pet.id, await send(pet, change, undefined));
  const changed = await runWork({ title, pets, act });
  if (changed.length === 0) return;
  announce('pets');
  notify(t`${count(changed.length, 'animal is', 'animals are')} ${result}.`, async () => {
    const fields = Object.keys(change) as (keyof Change)[];
    const earlier = (pet: Pet) =>
      Object.fromEntries(fields.map((field) => [field, seen(pet)[field]])) as Change;
    await runWork({
      title: t`Putting ${count(changed.length, 'animal')} back`,
      pets: changed,
      // Unless somebody else has changed it since.
      act: (pet) => send(pet, earlier(pet), results.get(pet.id)),
    });
    announce('pets');
  });
}

/** `Bella, Max and Luna`; of many, the first ones and the number of the others. */
export function namesOf(pets: readonly Pet[]): string {
  const names = pets.slice(0, NAMES_MAX).map(({ name }) => name);
  const others = pets.length - names.length;
  return formatList(others > 0 ? [...names, t`${others} more`] : names);
}
