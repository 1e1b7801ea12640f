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
      void changeAll(animals, to, title, result).then(onDone);
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
  const [title, result] = published
    ? [t`Publishing ${counted}`, t`published`]
    : [t`Hiding ${counted}`, t`no longer published`];
  return describeAll(animals, { published }, title, result);
}

type Rows = readonly AnimalRow[];

/** Makes the same change to several animals. */
function changeAll(animals: Rows, change: PetChange, title: string, result: string) {
  return runUndoable<Pet, PetChange>(animals, title, result, {
    seen: ({ pet }) => pet,
    change,
    send: (id, to, ifMatch) => store.pets.update(id, to, { ifMatch }),
  });
}

/** The same to their profiles. */
function describeAll(animals: Rows, change: ProfileChange, title: string, result: string) {
  return runUndoable<Profile, ProfileChange>(animals, title, result, {
    seen: ({ profile }) => (profile ?? {}) as ProfileChange,
    change,
    send: (id, to, ifMatch) => store.pets.updateProfile(id, to, { ifMatch }),
  });
}

interface Undoable<T, Change> {
  /** The record as it was before. */
  readonly seen: (animal: AnimalRow) => Change;
  readonly change: Change;
  readonly send: (id: Pet['id'], change: Change, ifMatch: T | undefined) => Promise<T>;
}

/** Makes the same change to several animals. The notice can undo it. */
async function runUndoable<T, Change extends object>(
  animals: Rows,
  title: string,
  result: string,
  { seen, change, send }: Undoable<T, Change>,
): Promise<void> {
  const fields = Object.keys(change) as (keyof Change)[];
  const earlier = new Map(
    animals.map((animal) => {
      const entries = fields.map((field) => [field, seen(animal)[field]]);
      return [animal.pet.id, Object.fromEntries(entries) as Change];
    }),
  );
  const results = new Map<Pet['id'], T>();
  const act = async ({ id }: Pet) => results.set(id, await send(id, change, undefined));
  const changed = await runWork({ title, pets: animals.map(({ pet }) => pet), act });
  if (changed.length === 0) return;
  announce('pets');
  notify(t`${count(changed.length, 'animal is', 'animals are')} ${result}.`, async () => {
    await runWork({
      title: t`Putting ${count(changed.length, 'animal')} back`,
      pets: changed,
      // Unless somebody else has changed it since.
      act: async ({ id }) => send(id, earlier.get(id) ?? change, results.get(id)),
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
