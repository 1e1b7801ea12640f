import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useLoaded } from '../../loading.ts';
import { store } from '../../service.ts';

/** The webhooks, for administrators. */
export default function WebhooksPage() {
  const { value, error, reload } = useLoaded(
    (signal) => store.webhooks.list({}, { signal }).page(),
    [],
    [],
  );
  return (
    <>
      <PageHeader title="Webhooks" />
      {error !== undefined && <ErrorState error={error} retry={reload} />}
      {value === undefined && error === undefined && <LoadingState />}
      {value !== undefined && (
        <ul>
          {value.items.map((item) => (
            <li key={item.id}>{item.url}</li>
          ))}
        </ul>
      )}
    </>
  );
}
