import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useLoaded } from '../../loading.ts';
import { store } from '../../service.ts';

/** The animals of the shop. */
export default function AnimalsPage() {
  const { value, error, reload } = useLoaded(
    (signal) => store.pets.list({}, { signal }).page(),
    [],
    ['pet.created', 'pet.updated', 'pet.deleted'],
  );
  return (
    <>
      <PageHeader title="Animals" />
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
