import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useLoaded } from '../../loading.ts';
import { store } from '../../service.ts';

/** The adoptions by their progress. */
export default function AdoptionsPage() {
  const { value, error, reload } = useLoaded(
    (signal) => store.orders.list({}, { signal }).page(),
    [],
    ['order.placed', 'order.updated'],
  );
  return (
    <>
      <PageHeader title="Adoptions" />
      {error !== undefined && <ErrorState error={error} retry={reload} />}
      {value === undefined && error === undefined && <LoadingState />}
      {value !== undefined && (
        <ul>
          {value.items.map((item) => (
            <li key={item.id}>{item.status}</li>
          ))}
        </ul>
      )}
    </>
  );
}
