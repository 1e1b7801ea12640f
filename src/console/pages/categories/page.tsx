import { useState } from 'preact/hooks';
import { EmptyState } from '../../components/empty-state.tsx';
import { ErrorState } from '../../components/error-state.tsx';
import { Icon } from '../../components/icon.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { currentCursor, Pager } from '../../components/pager.tsx';
import { useLoaded } from '../../loading.ts';
import { type Category, store } from '../../service.ts';
import { may } from '../../session.ts';
import { CategoryDialog } from './category-dialog.tsx';
import { CategoryTable } from './category-table.tsx';
import { removeCategory } from './remove-category.ts';

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
    ['pet.created', 'pet.updated', 'pet.deleted'],
  );
  const animals = new Map(stats.value?.categories.map(({ id, pets }) => [id, pets]));
  const { value, error } = page;
  const add = () => setEditing({ category: undefined });

  return (
    <>
      <PageHeader title="Categories">
        {may('write') && (
          <button type="button" class="button primary" onClick={add}>
            <Icon name="add" />
            Add category
          </button>
        )}
      </PageHeader>
      {value === undefined && error === undefined && <LoadingState />}
      {value === undefined && error && <ErrorState error={error} retry={page.reload} />}
      {value?.items.length === 0 && cursor === undefined && (
        <EmptyState
          title="No categories yet"
          text="Categories are kinds of animals, such as dogs and cats. Add the first one."
        />
      )}
      {value !== undefined && value.items.length > 0 && (
        <CategoryTable
          categories={value.items}
          animals={animals}
          onRename={(category) => setEditing({ category })}
          onRemove={(category) =>
            removeCategory(category, animals.get(category.id) ?? 0, page.reload)
          }
        />
      )}
      {value !== undefined && <Pager name="categories" next={value.nextCursor} />}
      {editing !== undefined && (
        <CategoryDialog
          category={editing.category}
          onClose={() => setEditing(undefined)}
          onDone={page.reload}
        />
      )}
    </>
  );
}
