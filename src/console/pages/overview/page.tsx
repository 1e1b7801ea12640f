import { PageHeader } from '../../components/list-page.tsx';
import { EmptyShop, LoadedSection, WhenLoaded } from '../../components/states.tsx';
import { formatAgo, formatMoment } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { problemText } from '../../refusals.ts';
import { type Stats, store, type Task } from '../../service.ts';
import { may } from '../../session.ts';
import { statusName } from '../../words.ts';
import { Adoptions, Categories, Requests, Statuses } from './figures.tsx';
import { WorkToDo } from './work.tsx';

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

const REFRESH_MS = 60_000;

/** For those who run the service: what it does by itself, and whether that works. */
function Tasks() {
  const loaded = useLoaded((signal) => store.tasks.get({ signal }), [], [], {
    everyMs: REFRESH_MS,
  });
  return (
    <LoadedSection id="tasks" title={t`What the service does by itself`} kind="card" from={loaded}>
      {({ tasks }) => (
        <ul class="stack">
          {tasks.map((task) => (
            <li key={task.name}>
              <strong>{nameOf(task)}</strong>: {stateOf(task)}
            </li>
          ))}
        </ul>
      )}
    </LoadedSection>
  );
}

/** `Backups`, `Channel 7` */
function nameOf({ name }: Task): string {
  const id = /^channel (\d+)$/.exec(name)?.[1];
  return id === undefined ? statusName(name) : t`Channel ${id}`;
}

function stateOf({ failures, problem, succeededAt, dueAt, underWay }: Task): string {
  const last = succeededAt === null ? t`never done` : t`done ${formatAgo(succeededAt)}`;
  if (failures > 0) return t`${last}. ${problemText(problem ?? '')}`;
  if (underWay) return t`under way, ${last}`;
  return dueAt === null ? last : t`${last}, next ${formatMoment(dueAt)}`;
}
