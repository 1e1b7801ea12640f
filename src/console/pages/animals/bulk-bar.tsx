import { categoryName } from '../../categories.ts';
import { Button } from '../../components/button.tsx';
import { confirm, open } from '../../components/dialog.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { Menu } from '../../components/menu.tsx';
import { failureOf } from '../../failures.ts';
import { count, formatList, formatNumber } from '../../format.ts';
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
import { printCards } from './sheets.tsx';

/** To remove more animals than these, their number has to be typed. */
const REMOVED_UNTYPED = 10;

interface BulkBarProps {
  readonly animals: readonly AnimalRow[];
  /** The others that match the filter, while a whole page is selected. */
  readonly matching: { readonly total: number | undefined; select(): Promise<void> } | undefined;
  readonly onClear: () => void;
  readonly onDone: () => void;
}

/** What can be done to the selected animals. */
export function BulkBar({ animals, matching, onClear, onDone }: BulkBarProps) {
  const pets = animals.map(({ pet }) => pet);
  const change = (field: BulkField) => () =>
    open(<BulkDialog field={field} animals={animals} onDone={onDone} />);
  const publish = (published: boolean) => () => void publishAll(animals, published).then(onDone);

  return (
    <section class="row bulk-bar" aria-label={t`Selected animals`}>
      <p role="status">{t`${count(pets.length, 'animal')} selected`}</p>
      {matching && (
        <Button kind="quiet" onClick={matching.select}>
          {matching.total === undefined
            ? t`Select all that match`
            : t`Select all ${formatNumber(matching.total)} that match`}
        </Button>
      )}
      <Menu
        kind="button"
        control="change"
        label={t`Change selected animals`}
        items={[
          { label: t`Change status`, onSelect: change('status') },
          { label: t`Change category`, onSelect: change('category') },
          { label: t`Move to a place`, onSelect: change('place') },
          { label: t`Publish`, onSelect: publish(true) },
          { label: t`Stop publishing`, onSelect: publish(false) },
        ]}
      >{t`Change`}</Menu>
      <Button onClick={() => printCards(animals)}>{t`Kennel cards`}</Button>
      <Button onClick={() => removeSelected(pets, onDone)}>{t`Remove selected`}</Button>
      <Button kind="quiet" onClick={onClear}>{t`Clear`}</Button>
    </section>
  );
}

async function removeSelected(pets: readonly Pet[], onDone: () => void) {
  const animals = count(pets.length, 'animal');
  const isWanted = await confirm({
    title: t`Remove ${animals}?`,
    text: t`${namesOf(pets)} can be brought back for 30 days.`,
    action: t`Remove ${animals}`,
    typed: pets.length > REMOVED_UNTYPED ? String(pets.length) : undefined,
  });
  if (!isWanted) return;
  await removeAll(pets);
  onDone();
}

/** Removes several animals. One that is already gone counts as removed. */
async function removeAll(pets: readonly Pet[]): Promise<void> {
  const removed = await runWork({
    title: t`Removing ${count(pets.length, 'animal')}`,
    pets,
    act: ({ id }) =>
      store.pets.delete(id).catch((error) => {
        if (failureOf(error).code !== 'pet_not_found') throw error;
      }),
  });
  if (removed.length === 0) return;
  announce('pets');
  notify(t`${count(removed.length, 'animal was', 'animals were')} removed.`, async () => {
    const back = await runWork({
      title: t`Bringing back ${count(removed.length, 'animal')}`,
      pets: removed,
      act: ({ id }) => store.pets.restore(id),
    });
    announce('pets');
    notify(t`${count(back.length, 'animal is', 'animals are')} back.`);
  });
}

/** Names in a question; of more animals, the number is told. */
const NAMES_MAX = 8;
const PLACE_MAX = 100;

type BulkField = 'status' | 'category' | 'place';

interface BulkDialogProps {
  readonly field: BulkField;
  readonly animals: readonly AnimalRow[];
  readonly onDone: () => void;
}

/** Asks for the new status, category or place. */
function BulkDialog({ field, animals, onDone }: BulkDialogProps) {
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
function publishAll(animals: readonly AnimalRow[], published: boolean): Promise<void> {
  const counted = count(animals.length, 'animal');
  const [title, result] = published
    ? [t`Publishing ${counted}`, t`published`]
    : [t`Hiding ${counted}`, t`no longer published`];
  return describeAll(animals, { published }, title, result);
}

type Rows = readonly AnimalRow[];

function changeAll(animals: Rows, change: PetChange, title: string, result: string) {
  return runUndoable<Pet, PetChange>(animals, title, result, {
    seen: ({ pet }) => pet,
    change,
    send: (id, to, ifMatch) => store.pets.update(id, to, { ifMatch }),
  });
}

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
function namesOf(pets: readonly Pet[]): string {
  const names = pets.slice(0, NAMES_MAX).map(({ name }) => name);
  const others = pets.length - names.length;
  return formatList(others > 0 ? [...names, t`${others} more`] : names);
}
