import { Button } from '../../components/button.tsx';
import { open } from '../../components/dialog.tsx';
import { currentCursor, ListPage } from '../../components/list-page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { formatNumber } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { type Category, store } from '../../service.ts';
import { may } from '../../session.ts';
import { CategoryDialog, removeCategory } from './change-category.tsx';

const PAGE_SIZE = 50;

/** Opens the dialog that renames a category, or adds one. */
const edit = (category?: Category) =>
  open((close) => <CategoryDialog category={category} onClose={close} />);

/** The kinds of animals. */
export default function CategoriesPage() {
  const cursor = currentCursor();
  const page = useLoaded(
    (signal) => store.categories.list({ limit: PAGE_SIZE }, { signal }).page(cursor),
    [cursor],
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
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
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
