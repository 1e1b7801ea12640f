import { PageHeader } from '../../components/list-page.tsx';
import { EmptyShop, WhenLoaded } from '../../components/states.tsx';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { type Stats, store } from '../../service.ts';
import { may } from '../../session.ts';
import { Adoptions, Categories, Requests, Statuses } from './figures.tsx';
import { Tasks } from './tasks.tsx';
import { WorkToDo } from './work.tsx';

/** The shop in figures. */
export default function OverviewPage() {
  const loaded = useLoaded(
    (signal) => store.stats.get({ signal }),
    [],
    ['pet', 'order', 'category'],
  );
  return (
    <>
      <PageHeader title={t`Overview`} />
      <WhenLoaded from={loaded}>
        {(stats) =>
          isEmpty(stats) ? <EmptyShop title={t`Welcome to Petstore`} /> : <Figures stats={stats} />
        }
      </WhenLoaded>
    </>
  );
}

function Figures({ stats }: { readonly stats: Stats }) {
  return (
    <div class="stack overview">
      <Statuses pets={stats.pets} adoptable={stats.adoptable} />
      <div class="stack overview-parts">
        {may('write') && <WorkToDo />}
        <Adoptions weeks={stats.adoptions} />
        <Categories categories={stats.categories} isAlone={!may('admin')} />
        {may('admin') && <Requests />}
        {may('admin') && <Tasks />}
      </div>
    </div>
  );
}

function isEmpty({ pets, adoptions }: Stats): boolean {
  const animals = pets.available + pets.pending + pets.sold;
  return animals === 0 && adoptions.every(({ completed }) => completed === 0);
}
