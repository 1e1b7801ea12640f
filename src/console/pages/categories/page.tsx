import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useLoaded } from '../../loading.ts';
import { store } from '../../service.ts';

/** The kinds of animals. */
export default function CategoriesPage() {
  const { value, error, reload } = useLoaded(
    (signal) => store.categories.list({}, { signal }).page(),
    [],
    ['category.created', 'category.updated', 'category.deleted'],
  );
  return (
    <>
      <PageHeader title="Categories" />
      {error !== undefined && <ErrorState error={error} retry={reload} />}
      {value === undefined && error === undefined && <LoadingState />}
      {value !== undefined && (
        <ul>
          {value.items.map((item) => (
            <li key={item.id}>{item.name}</li>
          ))}
        </ul>
      )}
    </>
  );
}
