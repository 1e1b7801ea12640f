import { Icon } from '../../components/icon.tsx';
import { PageHeader } from '../../components/list-page.tsx';
import { WhenLoaded } from '../../components/states.tsx';
import { useLoaded } from '../../loading.ts';
import { type Stats, store } from '../../service.ts';
import { may } from '../../session.ts';
import { Adoptions, Categories, Requests, Statuses } from './figures.tsx';
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
      <PageHeader title="Overview" />
      <WhenLoaded from={loaded}>
        {(stats) => (isEmpty(stats) ? <Welcome /> : <Figures stats={stats} />)}
      </WhenLoaded>
    </>
  );
}

function Figures({ stats }: { readonly stats: Stats }) {
  return (
    <div class="stack overview">
      <Statuses pets={stats.pets} />
      <div class="stack overview-parts">
        {may('write') && <WorkToDo />}
        <Adoptions weeks={stats.adoptions} />
        <Categories categories={stats.categories} isAlone={!may('admin')} />
        {may('admin') && <Requests />}
      </div>
    </div>
  );
}

function isEmpty({ pets, adoptions }: Stats): boolean {
  const animals = pets.available + pets.pending + pets.sold;
  return animals === 0 && adoptions.every(({ completed }) => completed === 0);
}

/** What an empty shop starts with. */
function Welcome() {
  return (
    <section class="state welcome">
      <Icon name="animals" />
      <h2>Welcome to Petstore</h2>
      {may('write') ? (
        <>
          <p>There are no animals yet. Bring them in from a file, or add them one by one.</p>
          <div class="row state-actions">
            <a class="button primary" href="/console/import">
              Import a file
            </a>
            <a class="button" href="/console/animals?open=add">
              Add the first animal
            </a>
          </div>
        </>
      ) : (
        <p>There are no animals yet. You may only read; ask a manager to add them.</p>
      )}
    </section>
  );
}
