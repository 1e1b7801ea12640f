import type { TaskEnd, TaskRecord, TaskStorage } from '../../domain/task.ts';
import { fieldsOf, number, numberOrNull, plain } from '../fields.ts';
import { methodsOf, sql, type Transactions, type Work } from '../statements.ts';

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

const LIST = sql`SELECT ${TASK.columns} FROM tasks ORDER BY name`.as(TASK);
const TAKE = sql`INSERT INTO tasks (name, turn, heartbeat, holder, started_at, failures)
  VALUES ($1, $2 + 1, 1, $4, $5, 0)
  ON CONFLICT (name) DO UPDATE
  SET turn = excluded.turn, heartbeat = 1, holder = excluded.holder, started_at = excluded.started_at
  WHERE tasks.turn = $2 AND tasks.heartbeat = $3 RETURNING ${TASK.columns}`.as(TASK);
const BEAT = sql`UPDATE tasks SET heartbeat = heartbeat + 1 WHERE name = $1 AND turn = $2`;
const GIVE_BACK = sql`UPDATE tasks SET heartbeat = 0
  WHERE name = $1 AND turn = $2 RETURNING ${TASK.columns}`.as(TASK);
const SUCCEED = sql`UPDATE tasks
  SET heartbeat = 0, ended_at = $3, succeeded_at = $3, failures = 0, problem = NULL, due_at = NULL
  WHERE name = $1 AND turn = $2 RETURNING ${TASK.columns}`.as(TASK);
const FAIL = sql`UPDATE tasks
  SET heartbeat = 0, ended_at = $3, failures = failures + 1, problem = $4, due_at = NULL
  WHERE name = $1 AND turn = $2 RETURNING ${TASK.columns}`.as(TASK);
const PLAN = sql`UPDATE tasks SET due_at = $2 WHERE name = $1`;
const FORGET = sql`DELETE FROM tasks WHERE name = $1`;

function end(name: string, turn: bigint, how: TaskEnd | undefined): Work<TaskRecord | undefined> {
  if (how === undefined) return GIVE_BACK.one(name, turn);
  const { at, problem } = how;
  return problem === undefined ? SUCCEED.one(name, turn, at) : FAIL.one(name, turn, at, problem);
}

/** What processes tell each other of the tasks of the scheduler. */
export function createTaskStorage(transactions: Transactions): TaskStorage {
  const { reads, writes } = methodsOf<TaskStorage>(transactions);
  return {
    ...reads({ list: () => LIST.all() }),
    ...writes({
      take: (name, holder, seen, now) =>
        TAKE.one(name, seen?.turn ?? 0n, seen?.heartbeat ?? 0n, holder, now),
      *beat(name, turn) {
        return (yield* BEAT.changes(name, turn)) > 0;
      },
      end,
      plan: (name, dueAt) => PLAN.run(name, dueAt),
      forget: (name) => FORGET.run(name),
    }),
  };
}
