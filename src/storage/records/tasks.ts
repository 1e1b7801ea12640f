import type { TaskEnd, TaskRecord, TaskStorage } from '../../domain/task.ts';
import { fieldsOf, number, numberOrNull, plain } from '../fields.ts';
import { all, changes, one, query, run, sql, type Transactions, type Work } from '../statements.ts';

const TASK = fieldsOf({
  name: plain<string>(),
  turn: plain<bigint>(),
  heartbeat: plain<bigint>(),
  holder: plain<string>(),
  startedAt: number,
  endedAt: numberOrNull,
  succeededAt: numberOrNull,
  failures: number,
  problem: plain<string | null>(),
  dueAt: numberOrNull,
});
const tasks = (text: ReturnType<typeof sql>) => query<object, TaskRecord>(TASK.of, text);

const LIST = tasks(sql`SELECT ${TASK.columns} FROM tasks ORDER BY name`);
const TAKE = tasks(sql`INSERT INTO tasks (name, turn, heartbeat, holder, started_at, failures)
  VALUES ($1, $2 + 1, 1, $4, $5, 0)
  ON CONFLICT (name) DO UPDATE
  SET turn = excluded.turn, heartbeat = 1, holder = excluded.holder, started_at = excluded.started_at
  WHERE tasks.turn = $2 AND tasks.heartbeat = $3 RETURNING ${TASK.columns}`);
const BEAT = sql`UPDATE tasks SET heartbeat = heartbeat + 1 WHERE name = $1 AND turn = $2`;
const GIVE_BACK = tasks(sql`UPDATE tasks SET heartbeat = 0
  WHERE name = $1 AND turn = $2 RETURNING ${TASK.columns}`);
const SUCCEED = tasks(sql`UPDATE tasks
  SET heartbeat = 0, ended_at = $3, succeeded_at = $3, failures = 0, problem = NULL, due_at = NULL
  WHERE name = $1 AND turn = $2 RETURNING ${TASK.columns}`);
const FAIL = tasks(sql`UPDATE tasks
  SET heartbeat = 0, ended_at = $3, failures = failures + 1, problem = $4, due_at = NULL
  WHERE name = $1 AND turn = $2 RETURNING ${TASK.columns}`);
const PLAN = sql`UPDATE tasks SET due_at = $2 WHERE name = $1`;
const FORGET = sql`DELETE FROM tasks WHERE name = $1`;

function end(name: string, turn: bigint, how: TaskEnd | undefined): Work<TaskRecord | undefined> {
  if (how === undefined) return one(GIVE_BACK, name, turn);
  const { at, problem } = how;
  return problem === undefined ? one(SUCCEED, name, turn, at) : one(FAIL, name, turn, at, problem);
}

function* beat(name: string, turn: bigint): Work<boolean> {
  return (yield* changes(BEAT, name, turn)) > 0;
}

/** What processes tell each other of the tasks of the scheduler. */
export function createTaskStorage({ read, write }: Transactions): TaskStorage {
  return {
    list: () => read(() => all(LIST)),
    take: (name, holder, seen, now) =>
      write(() => one(TAKE, name, seen?.turn ?? 0n, seen?.heartbeat ?? 0n, holder, now)),
    beat: (name, turn) => write(() => beat(name, turn)),
    end: (name, turn, how) => write(() => end(name, turn, how)),
    plan: (name, dueAt) => write(() => run(PLAN, name, dueAt)),
    forget: (name) => write(() => run(FORGET, name)),
  };
}
