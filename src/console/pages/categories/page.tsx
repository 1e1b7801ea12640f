import { Button } from '../../components/button.tsx';
import { confirm, open } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { ListPage, usePage } from '../../components/list-page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { explain, failureOf } from '../../failures.ts';
import { count, formatNumber } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { navigate } from '../../router.ts';
import { type Category, PetstoreError, store } from '../../service.ts';
import { may } from '../../session.ts';

const PAGE_SIZE = 50;

/** Opens the dialog that renames a category, or adds one. */
const edit = (category?: Category) => open(<CategoryDialog category={category} />);

/** The kinds of animals. */
export default function CategoriesPage() {
  const page = usePage(
    (options) => store.categories.list({ limit: PAGE_SIZE }, options),
    ['category'],
  );
  const stats = useLoaded((signal) => store.stats.get({ signal }), [], ['pet']);
  const animals = new Map(stats.value?.categories.map(({ id, pets }) => [id, pets]));
  const columns: readonly Column<Category>[] = [
    { name: 'Name', cell: ({ name }) => name },
    {
      name: 'Animals',
      isNumber: true,
      cell: ({ id }) => (
        <a href={`/console/animals?category=${id}`}>{formatNumber(animals.get(id) ?? 0)}</a>
      ),
    },
  ];
  const actions = (category: Category) => (
    <>
      <Button kind="quiet" label={`Rename ${category.name}`} onClick={() => edit(category)}>
        Rename
      </Button>
      <Button
        kind="quiet"
        label={`Remove ${category.name}`}
        onClick={() => removeCategory(category, animals.get(category.id) ?? 0)}
      >
        Remove
      </Button>
    </>
  );
  return (
    <ListPage
      from={page}
      caption="Categories"
      columns={columns}
      add={may('write') ? { label: 'Add category', onClick: () => edit() } : undefined}
      actions={may('write') ? actions : undefined}
      empty={
        <EmptyState
          title="No categories yet"
          text="Categories are kinds of animals, such as dogs and cats. Add the first one."
        />
      }
    />
  );
}

const NAME_MAX = 100;

/** Adds a category, or renames one. */
function CategoryDialog({ category }: { readonly category: Category | undefined }) {
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
async function removeCategory(category: Category, animals: number): Promise<void> {
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
