import { categoryName } from '../../categories.ts';
import { Button } from '../../components/button.tsx';
import { confirm, open } from '../../components/dialog.tsx';
import { Select } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { failureOf } from '../../failures.ts';
import { count, formatList, formatNumber } from '../../format.ts';
import { announce } from '../../live.ts';
import { notify } from '../../notices.tsx';
import { type Pet, type PetChange, store } from '../../service.ts';
import { statusWord } from '../../words.ts';
import { CategoryField, readCategory } from './animal-fields.tsx';
import { runWork } from './bulk-run.tsx';
import { STATUS_OPTIONS, STATUSES } from './filter.ts';

/** Names in a question; of more animals, the number is told. */
const NAMES_MAX = 8;
/** To remove more animals than these, their number has to be typed. */
const REMOVED_UNTYPED = 10;

interface BulkBarProps {
  readonly pets: readonly Pet[];
  /** The others that match the filter, while a whole page is selected. */
  readonly matching: { readonly total: number | undefined; select(): Promise<void> } | undefined;
  readonly onClear: () => void;
  /** Called when something was done to them. */
  readonly onDone: () => void;
}

/** What can be done to the selected animals. */
export function BulkBar({ pets, matching, onClear, onDone }: BulkBarProps) {
  const animals = count(pets.length, 'animal');

  const change = (field: ChangeDialogProps['field']) =>
    open(<ChangeDialog field={field} pets={pets} onDone={onDone} />);

  async function remove() {
    const isWanted = await confirm({
      title: `Remove ${animals}?`,
      text: `${namesOf(pets)} can be brought back for 30 days.`,
      action: `Remove ${animals}`,
      typed: pets.length > REMOVED_UNTYPED ? String(pets.length) : undefined,
    });
    if (!isWanted) return;
    await removeAll(pets);
    onDone();
  }

  return (
    <section class="row bulk-bar" aria-label="Selected animals">
      <p role="status">{animals} selected</p>
      {matching && (
        <Button kind="quiet" onClick={matching.select}>
          Select all{matching.total === undefined ? '' : ` ${formatNumber(matching.total)}`} that
          match
        </Button>
      )}
      <Button onClick={() => change('status')}>Change status</Button>
      <Button onClick={() => change('category')}>Change category</Button>
      <Button onClick={remove}>Remove selected</Button>
      <Button kind="quiet" onClick={onClear}>
        Clear
      </Button>
    </section>
  );
}

interface ChangeDialogProps extends Pick<BulkBarProps, 'pets' | 'onDone'> {
  readonly field: 'status' | 'category';
}

function ChangeDialog({ field, pets, onDone }: ChangeDialogProps) {
  const animals = count(pets.length, 'animal');

  async function submit(read: ReadField) {
    const change = (to: PetChange, title: string, result: string) =>
      void changeAll(pets, to, title, result).then(onDone);
    const status = STATUSES.find((one) => one === read('status'));
    if (status) {
      return change({ status }, `Changing the status of ${animals}`, `now ${statusWord(status)}`);
    }
    const categoryId = await readCategory(read);
    const name = categoryName(categoryId);
    change({ categoryId }, `Moving ${animals} to ${name}`, `now in ${name}`);
  }

  return (
    <FormDialog
      title={`Change the ${field} of ${animals}`}
      action={`Change ${field}`}
      onSubmit={submit}
    >
      <p>{namesOf(pets)}</p>
      {field === 'category' ? (
        <CategoryField />
      ) : (
        <Select label="New status" name="status" value="available" options={STATUS_OPTIONS} />
      )}
    </FormDialog>
  );
}

/** Removes several animals. One that is already gone counts as removed. */
async function removeAll(pets: readonly Pet[]): Promise<void> {
  const removed = await runWork({
    title: `Removing ${count(pets.length, 'animal')}`,
    pets,
    act: ({ id }) =>
      store.pets.delete(id).catch((error) => {
        if (failureOf(error).code !== 'pet_not_found') throw error;
      }),
  });
  if (removed.length === 0) return;
  announce('pets');
  notify(`${count(removed.length, 'animal was', 'animals were')} removed.`, async () => {
    const back = await runWork({
      title: `Bringing back ${count(removed.length, 'animal')}`,
      pets: removed,
      act: ({ id }) => store.pets.restore(id),
    });
    announce('pets');
    notify(`${count(back.length, 'animal is', 'animals are')} back.`);
  });
}

/** Makes the same change to several animals. The notice can undo it. */
async function changeAll(
  pets: readonly Pet[],
  change: PetChange,
  title: string,
  result: string,
): Promise<void> {
  const results = new Map<Pet['id'], Pet>();
  const act = async ({ id }: Pet) => results.set(id, await store.pets.update(id, change));
  const changed = await runWork({ title, pets, act });
  if (changed.length === 0) return;
  announce('pets');
  notify(`${count(changed.length, 'animal is', 'animals are')} ${result}.`, async () => {
    const fields = Object.keys(change) as (keyof PetChange)[];
    await runWork({
      title: `Putting ${count(changed.length, 'animal')} back`,
      pets: changed,
      // Unless somebody else has changed it since.
      act: (pet) =>
        store.pets.update(pet.id, Object.fromEntries(fields.map((field) => [field, pet[field]])), {
          ifMatch: results.get(pet.id),
        }),
    });
    announce('pets');
  });
}

/** `Bella, Max and Luna`; of many, the first ones and the number of the others. */
function namesOf(pets: readonly Pet[]): string {
  const names = pets.slice(0, NAMES_MAX).map(({ name }) => name);
  const others = pets.length - names.length;
  return formatList(others > 0 ? [...names, `${others} more`] : names);
}
