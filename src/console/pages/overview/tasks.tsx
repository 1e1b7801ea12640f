import { WhenLoaded } from '../../components/states.tsx';
import { formatAgo, formatMoment } from '../../format.ts';
import { t } from '../../language.ts';
import { useLoaded } from '../../loading.ts';
import { store, type Task } from '../../service.ts';
import { statusName } from '../../words.ts';

const REFRESH_MS = 60_000;

/** For those who run the service: what it does by itself, and whether that works. */
export function Tasks() {
  const loaded = useLoaded((signal) => store.tasks.get({ signal }), [], [], {
    everyMs: REFRESH_MS,
  });
  return (
    <section class="card" aria-labelledby="tasks">
      <h2 id="tasks">{t`By itself`}</h2>
      <WhenLoaded from={loaded}>
        {({ tasks }) => (
          <ul class="stack">
            {tasks.map((task) => (
              <li key={task.name}>
                <strong>{statusName(task.name)}</strong>: {stateOf(task)}
              </li>
            ))}
          </ul>
        )}
      </WhenLoaded>
    </section>
  );
}

function stateOf({ failures, problem, succeededAt, dueAt, underWay }: Task): string {
  const last = succeededAt === null ? t`never done` : t`done ${formatAgo(succeededAt)}`;
  if (failures > 0) return t`fails (${problem}), ${last}`;
  if (underWay) return t`under way, ${last}`;
  return dueAt === null ? last : t`${last}, next ${formatMoment(dueAt)}`;
}
