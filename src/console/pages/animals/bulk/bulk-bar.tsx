import { useState } from 'preact/hooks';
import { confirm } from '../../../components/confirm.tsx';
import { Select } from '../../../components/field.tsx';
import { FormDialog } from '../../../components/form-dialog.tsx';
import { count, formatList } from '../../../format.ts';
import type { Pet } from '../../../service.ts';
import { CategoryField, readCategory } from '../animal-fields.tsx';
import { STATUS_OPTIONS, STATUSES } from '../filter.ts';
import { changeCategories, changeStatuses, removeAll } from './work.ts';

/** Names in a question; of more animals, the number is told. */
const NAMES_MAX = 8;

interface BulkBarProps {
  readonly pets: readonly Pet[];
  readonly onClear: () => void;
}

/** What can be done to the selected animals. */
export function BulkBar({ pets, onClear }: BulkBarProps) {
  const [open, setOpen] = useState<'status' | 'category'>();
  const close = () => setOpen(undefined);

  async function remove() {
    const isWanted = await confirm({
      title: `Remove ${count(pets.length, 'animal')}?`,
      text: `${namesOf(pets)} and their history are removed. This cannot be undone.`,
      action: `Remove ${count(pets.length, 'animal')}`,
    });
    if (isWanted) await removeAll(pets);
  }

  return (
    <section class="bulk-bar" aria-label="Selected animals">
      <p role="status">{count(pets.length, 'animal')} selected</p>
      <button type="button" class="button" onClick={() => setOpen('status')}>
        Change status
      </button>
      <button type="button" class="button" onClick={() => setOpen('category')}>
        Change category
      </button>
      <button type="button" class="button" onClick={remove}>
        Remove selected
      </button>
      <button type="button" class="button quiet" onClick={onClear}>
        Clear
      </button>
      {open === 'status' && <StatusDialog pets={pets} onClose={close} />}
      {open === 'category' && <CategoryDialog pets={pets} onClose={close} />}
    </section>
  );
}

interface ChoiceProps {
  readonly pets: readonly Pet[];
  readonly onClose: () => void;
}

function StatusDialog({ pets, onClose }: ChoiceProps) {
  async function submit(form: FormData) {
    const status = STATUSES.find((one) => one === form.get('status'));
    if (status) void changeStatuses(pets, status);
  }
  return (
    <FormDialog
      title={`Change the status of ${count(pets.length, 'animal')}`}
      action="Change status"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{namesOf(pets)}</p>
      <Select label="New status" name="status" value="available" options={STATUS_OPTIONS} />
    </FormDialog>
  );
}

function CategoryDialog({ pets, onClose }: ChoiceProps) {
  async function submit(form: FormData) {
    void changeCategories(pets, await readCategory(form));
  }
  return (
    <FormDialog
      title={`Change the category of ${count(pets.length, 'animal')}`}
      action="Change category"
      onSubmit={submit}
      onClose={onClose}
    >
      <p>{namesOf(pets)}</p>
      <CategoryField />
    </FormDialog>
  );
}

/** `Bella, Max and Luna`; of many, the first ones and the number of the others. */
function namesOf(pets: readonly Pet[]): string {
  const names = pets.slice(0, NAMES_MAX).map(({ name }) => name);
  const others = pets.length - names.length;
  return formatList(others > 0 ? [...names, `${others} more`] : names);
}
