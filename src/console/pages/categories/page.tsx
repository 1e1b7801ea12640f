import { useState } from 'preact/hooks';
import { Button } from '../../components/button.tsx';
import { currentCursor, ListPage } from '../../components/list-page.tsx';
import { EmptyState } from '../../components/states.tsx';
import type { Column } from '../../components/table.tsx';
import { formatNumber } from '../../format.ts';
import { useLoaded } from '../../loading.ts';
import { type Category, store } from '../../service.ts';
import { may } from '../../session.ts';
import { CategoryDialog, removeCategory } from './change-category.tsx';

const PAGE_SIZE = 50;

/** What is added or renamed; undefined if nothing is. */
type Editing = { readonly category: Category | undefined };

/** The kinds of animals. */
export default function CategoriesPage() {
  const [editing, setEditing] = useState<Editing>();
  const cursor = currentCursor();
  const page = useLoaded(
    (signal) => store.categories.list({ limit: PAGE_SIZE }, { signal }).page(cursor),
    [cursor],
    ['category.created', 'category.updated', 'category.deleted'],
  );
  const stats = useLoaded(
    (signal) => store.stats.get({ signal }),
    [],
    ['pet.created', 'pet.updated', 'pet.deleted', 'pet.restored'],
  );
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
      <Button
        kind="quiet"
        label={`Rename ${category.name}`}
        onClick={() => setEditing({ category })}
      >
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
  const add = { label: 'Add category', onClick: () => setEditing({ category: undefined }) };
  return (
    <ListPage
      from={page}
      caption="Categories"
      columns={columns}
      keyOf={({ id }) => id}
      nameOf={({ name }) => name}
      add={may('write') ? add : undefined}
      actions={may('write') ? actions : undefined}
      empty={
        <EmptyState
          title="No categories yet"
          text="Categories are kinds of animals, such as dogs and cats. Add the first one."
        />
      }
    >
      {editing && (
        <CategoryDialog category={editing.category} onClose={() => setEditing(undefined)} />
      )}
    </ListPage>
  );
}
