import { ErrorState } from '../../components/error-state.tsx';
import { LoadingState } from '../../components/loading-state.tsx';
import { PageHeader } from '../../components/page-header.tsx';
import { useLoaded } from '../../loading.ts';
import { type Stats, store } from '../../service.ts';
import { may } from '../../session.ts';
import { Adoptions } from './adoptions.tsx';
import { Categories } from './categories.tsx';
import { Requests } from './requests.tsx';
import { Statuses } from './statuses.tsx';
import { Welcome } from './welcome.tsx';

/** The shop in figures. */
export default function OverviewPage() {
  const { value, error, reload } = useLoaded(
    (signal) => store.stats.get({ signal }),
    [],
    [
      ...(['pet.created', 'pet.updated', 'pet.deleted', 'order.updated'] as const),
      ...(['category.created', 'category.updated', 'category.deleted'] as const),
    ],
  );

  return (
    <>
      <PageHeader title="Overview" />
      {value === undefined && error === undefined && <LoadingState />}
      {value === undefined && error && <ErrorState error={error} retry={reload} />}
      {value !== undefined && (isEmpty(value) ? <Welcome /> : <Figures stats={value} />)}
    </>
  );
}

function Figures({ stats }: { readonly stats: Stats }) {
  return (
    <div class="overview">
      <Statuses pets={stats.pets} />
      <div class="overview-parts">
        <Adoptions weeks={stats.adoptions} />
        <Categories categories={stats.categories} />
        {may('admin') && <Requests />}
      </div>
    </div>
  );
}

function isEmpty({ pets, adoptions }: Stats): boolean {
  const animals = pets.available + pets.pending + pets.sold;
  return animals === 0 && adoptions.every(({ completed }) => completed === 0);
}
