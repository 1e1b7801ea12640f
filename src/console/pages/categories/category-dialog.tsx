import { changeRecord } from '../../changes.ts';
import { Field } from '../../components/field.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { notify } from '../../notices.ts';
import { carryOut } from '../../outbox.ts';
import { type Category, PetstoreError, store } from '../../service.ts';

const NAME_MAX = 100;

interface CategoryDialogProps {
  /** The category to rename; undefined to add one. */
  readonly category: Category | undefined;
  readonly onClose: () => void;
  /** Called when the change is done, perhaps after the dialog was closed. */
  readonly onDone: () => void;
}

/** Adds a category, or renames one. */
export function CategoryDialog({ category, onClose, onDone }: CategoryDialogProps) {
  async function submit(values: FormData): Promise<void> {
    const name = String(values.get('name')).trim();
    try {
      await (category === undefined ? addCategory(name, onDone) : rename(category, name, onDone));
    } catch (error) {
      if (error instanceof PetstoreError && error.code === 'conflict') {
        throw new PetstoreError(
          `There is already a category “${name}”. Choose another name.`,
          error,
        );
      }
      throw error;
    }
  }

  return (
    <FormDialog
      title={category === undefined ? 'Add category' : `Rename ${category.name}`}
      action={category === undefined ? 'Add category' : 'Rename'}
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        value={category?.name ?? ''}
        hint="The kind of animal: Dog, Cat, Rabbit"
        maxLength={NAME_MAX}
        check={(value) => (value.trim() === '' ? 'Enter a name.' : undefined)}
      />
    </FormDialog>
  );
}

function addCategory(name: string, onDone: () => void): Promise<boolean> {
  return carryOut({
    label: `Add category ${name}`,
    send: (idempotencyKey) => store.categories.create({ name }, { idempotencyKey }),
    done() {
      notify(`${name} was added.`);
      onDone();
    },
  });
}

async function rename(category: Category, name: string, onDone: () => void): Promise<boolean> {
  if (name === category.name) return true;
  return changeRecord<Category>({
    label: `Rename ${category.name} to ${name}`,
    name: category.name,
    seen: category,
    wanted: { name },
    fields: [{ label: 'Name', show: (one) => one.name }],
    read: () => store.categories.get(category.id),
    update: (wanted, ifMatch) => store.categories.update(category.id, wanted, { ifMatch }),
    done(renamed) {
      if (renamed.name === name) notify(`${category.name} is now ${name}.`);
      onDone();
    },
  });
}
