import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useLoaded } from '../../loading.ts';
import { store } from '../../service.ts';

/** The shop in figures. */
export default function OverviewPage() {
  const { value, error, reload } = useLoaded((signal) => store.stats.get({ signal }), []);
  return (
    <>
      <PageHeader title="Overview" />
      {error !== undefined && <ErrorState error={error} retry={reload} />}
      {value === undefined && error === undefined && <LoadingState />}
      {value !== undefined && <p>{value.pets.available} available</p>}
    </>
  );
}
