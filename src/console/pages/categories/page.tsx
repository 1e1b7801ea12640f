import { Button } from '../../components/button.tsx';
import { confirm, open } from '../../components/dialog.tsx';
import { Field } from '../../components/field.tsx';
import { FormDialog, type ReadField } from '../../components/form.tsx';
import { ListPage, usePage } from '../../components/list-page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { Explained, explain, failureOf } from '../../failures.ts';
import { count, formatNumber } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { notify } from '../../notices.tsx';
import { submit } from '../../outbox.tsx';
import { navigate } from '../../router.ts';
import { type Category, PetstoreError, store } from '../../service.ts';
import { may } from '../../session.ts';

const PAGE_SIZE = 50;

const edit = (category?: Category) => open(<CategoryDialog category={category} />);

export default function CategoriesPage() {
  const page = usePage(
    (options) => store.categories.list({ limit: PAGE_SIZE }, options),
    ['category'],
  );
  const stats = useLoaded((signal) => store.stats.get({ signal }), [], ['pet']);
  const animals = new Map(stats.value?.categories.map(({ id, pets }) => [id, pets]));
  const columns: readonly Column<Category>[] = [
    { name: t`Name`, cell: ({ name }) => name },
    {
      name: t`Animals`,
      isNumber: true,
      cell: ({ id }) => (
        <a href={`/console/animals?category=${id}`}>{formatNumber(animals.get(id) ?? 0)}</a>
      ),
    },
  ];
  const actions = (category: Category) => (
    <>
      <Button
        kind="quiet"
        label={t`Rename ${category.name}`}
        onClick={() => edit(category)}
      >{t`Rename`}</Button>
      <Button
        kind="quiet"
        label={t`Remove ${category.name}`}
        onClick={() => removeCategory(category, animals.get(category.id) ?? 0)}
      >{t`Remove`}</Button>
    </>
  );
  return (
    <ListPage
      from={page}
      caption={t`Categories`}
      columns={columns}
      add={may('write') ? { label: t`Add category`, onClick: () => edit() } : undefined}
      actions={may('write') ? actions : undefined}
      empty={
        <EmptyState
          title={t`No categories yet`}
          text={t`Categories are kinds of animals, such as dogs and cats. Add the first one.`}
        />
      }
    />
  );
}

const NAME_MAX = 100;

function CategoryDialog({ category }: { readonly category: Category | undefined }) {
  async function send(field: ReadField): Promise<void> {
    const name = field('name');
    try {
      await save(category, name);
    } catch (error) {
      // There may be too many as well.
      if (!(error instanceof PetstoreError) || !/already has that name/.test(error.message))
        throw error;
      const text = t`There is already a category “${name}”. Choose another name.`;
      throw new Explained(text, error);
    }
  }

  return (
    <FormDialog
      title={category === undefined ? t`Add category` : t`Rename ${category.name}`}
      of={category}
      action={category === undefined ? t`Add category` : t`Rename`}
      onSubmit={send}
    >
      <Field
        name="name"
        hint={t`The kind of animal: Dog, Cat, Rabbit`}
        maxLength={NAME_MAX}
        needs={t`a name`}
      />
    </FormDialog>
  );
}

function save(category: Category | undefined, name: string): Promise<boolean> {
  if (category === undefined) {
    return submit({
      label: t`Add category ${name}`,
      call: (to) => to.categories.create({ name }),
      says: t`${name} was added.`,
    });
  }
  return submit<Category>({
    label: t`Rename ${category.name} to ${name}`,
    call: (to) => to.categories.update(category.id, { name }),
    edits: { seen: category, name: category.name },
    says: t`${category.name} is now ${name}.`,
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
      label: t`Remove category ${name}`,
      asks: {
        title: t`Remove ${name}?`,
        text: t`Nobody can choose this category afterwards.`,
        action: t`Remove category`,
      },
      call: (to) => to.categories.delete(id),
      says: t`${name} was removed.`,
    });
  } catch (error) {
    if (failureOf(error).code === 'conflict') await offerToShowAnimals(category, t`some animals`);
    else notify(t`${name} was not removed. ${explain(error)}`);
  }
}

async function offerToShowAnimals({ id, name }: Category, animals: string): Promise<void> {
  const isWanted = await confirm({
    title: t`${name} still has ${animals}`,
    text: t`A category can be removed when no animal is in it. Move the animals to another one first.`,
    action: t`Show these animals`,
    isHarmless: true,
  });
  if (isWanted) navigate(`/console/animals?category=${id}`);
}
