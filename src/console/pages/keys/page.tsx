import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useLoaded } from '../../loading.ts';
import { store } from '../../service.ts';

/** The API keys, for administrators. */
export default function KeysPage() {
  const { value, error, reload } = useLoaded(
    (signal) => store.keys.list({}, { signal }).page(),
    [],
    [],
  );
  return (
    <>
      <PageHeader title="Keys" />
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
