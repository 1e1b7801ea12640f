/** Adding, renaming and removing categories. */
import { confirm } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { explain, failureOf } from '../../failures.ts';
import { count } from '../../format.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { navigate } from '../../router.ts';
import { type Category, PetstoreError } from '../../service.ts';

const NAME_MAX = 100;

interface CategoryDialogProps {
  /** The category to rename; undefined to add one. */
  readonly category: Category | undefined;
  readonly onClose: () => void;
}

/** Adds a category, or renames one. */
export function CategoryDialog({ category, onClose }: CategoryDialogProps) {
  async function send(field: ReadField): Promise<void> {
    const name = field('name');
    try {
      await (category === undefined ? addCategory(name) : rename(category, name));
    } catch (error) {
      if (!(error instanceof PetstoreError) || error.code !== 'conflict') throw error;
      const text = `There is already a category “${name}”. Choose another name.`;
      throw new PetstoreError(text, error);
    }
  }

  return (
    <FormDialog
      title={category === undefined ? 'Add category' : `Rename ${category.name}`}
      action={category === undefined ? 'Add category' : 'Rename'}
      onSubmit={send}
      onClose={onClose}
    >
      <Field
        label="Name"
        name="name"
        value={category?.name ?? ''}
        hint="The kind of animal: Dog, Cat, Rabbit"
        maxLength={NAME_MAX}
        needs="a name"
      />
    </FormDialog>
  );
}

function addCategory(name: string): Promise<boolean> {
  return submit({
    label: `Add category ${name}`,
    call: (to) => to.categories.create({ name }),
    says: `${name} was added.`,
  });
}

function rename(category: Category, name: string): Promise<boolean> {
  return submit<Category>({
    label: `Rename ${category.name} to ${name}`,
    call: (to) => to.categories.update(category.id, { name }),
    edits: { seen: category, name: category.name },
    says: `${category.name} is now ${name}.`,
  });
}

/**
 * Removes a category after a question. One with animals cannot be removed: then it offers to show
 * them. `animals` is their number as far as it is known.
 */
export async function removeCategory(category: Category, animals: number): Promise<void> {
  const { id, name } = category;
  if (animals > 0) return offerToShowAnimals(category, count(animals, 'animal'));
  try {
    await submit({
      label: `Remove category ${name}`,
      asks: {
        title: `Remove ${name}?`,
        text: 'Nobody can choose this category afterwards.',
        action: 'Remove category',
      },
      call: (to) => to.categories.delete(id),
      says: `${name} was removed.`,
    });
  } catch (error) {
    if (failureOf(error).code === 'conflict') await offerToShowAnimals(category, 'some animals');
    else notify(`${name} was not removed. ${explain(error)}`);
  }
}

async function offerToShowAnimals({ id, name }: Category, animals: string): Promise<void> {
  const isWanted = await confirm({
    title: `${name} still has ${animals}`,
    text: 'A category can be removed when no animal is in it. Move the animals to another one first.',
    action: 'Show these animals',
    isHarmless: true,
  });
  if (isWanted) navigate(`/console/animals?category=${id}`);
}
