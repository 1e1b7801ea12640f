import { HOUR_MS } from '../domain/clock.ts';
import { recordedTime } from './clock.ts';
import { advice, type Finding, passed } from './finding.ts';

/** A task of the scheduler, in an inspected database. Engines return numbers or bigints. */
export interface TaskFacts {
  readonly name: string;
  readonly holder: string;
  readonly heartbeat: bigint | number;
  readonly failures: bigint | number;
  readonly problem: string | null;
  /** Null if it never has. */
  readonly succeededAt: bigint | number | null;
  readonly dueAt: bigint | number | null;
}

/** The statement for `TaskFacts`, on both engines. */
export const TASK_FACTS = `SELECT name, holder, heartbeat, failures, problem,
  succeeded_at AS "succeededAt", due_at AS "dueAt" FROM tasks ORDER BY name`;

/** The findings for what the service does by itself: what fails, what is late, and when the others last succeeded. */
export function taskFindings(tasks: readonly TaskFacts[], now: number): Finding[] {
  const failing = tasks.filter(({ failures }) => Number(failures) > 0);
  const late = tasks.filter((task) => !failing.includes(task) && isLate(task, now));
  const good = tasks.filter((task) => !failing.includes(task) && !late.includes(task));
  const told = good.map((task) => `${task.name} ${lastSuccess(task)}`);
  return [
    ...failing.map((task) => {
      const times = Number(task.failures) === 1 ? 'once' : `${task.failures} times`;
      const since =
        task.succeededAt === null ? 'never succeeded' : `last succeeded ${lastSuccess(task)}`;
      const found = `The task ${task.name} failed ${times} on ${task.holder} (${task.problem}); it ${since}.`;
      return advice('tasks', found, 'It is tried again; the log of that process says more.');
    }),
    ...late.map((task) => {
      const found = `The task ${task.name} was due ${timeOf(task.dueAt)}, and no process does it.`;
      return advice('tasks', found, 'Start a server that has the settings for it.');
    }),
    ...(told.length > 0 ? [passed('tasks', `Last successes: ${told.join('; ')}.`)] : []),
  ];
}

function isLate({ heartbeat, dueAt }: TaskFacts, now: number): boolean {
  return Number(heartbeat) === 0 && dueAt !== null && now - Number(dueAt) > HOUR_MS;
}

const timeOf = (time: TaskFacts['dueAt']) => `${recordedTime(Number(time))} UTC`;

function lastSuccess({ succeededAt }: TaskFacts): string {
  return succeededAt === null ? 'never' : timeOf(succeededAt);
}
