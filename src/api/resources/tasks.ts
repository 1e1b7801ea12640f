import * as z from 'zod';
import type { TaskRecord } from '../../domain/task.ts';
import { shows } from '../contract/bodies.ts';
import { defineOperation, operationsNamed } from '../contract/operation.ts';
import {
  countOut,
  recordOut,
  textOrNullOut,
  textOut,
  timeOut,
  withTimeTexts,
} from '../contract/response-fields.ts';

/** More than a deployment has: channels, and a few tasks of the service. */
const TASKS_MAX = 1_000;

const taskSchema = recordOut('Task', 'What the service does by itself.', () => ({
  name: textOut('What it is, such as `backups`.', 100),
  underWay: z.boolean().meta({ description: 'Whether a process does it now.' }),
  holder: textOut('The process that did it last: its machine and number.', 300),
  succeededAt: timeOut('When it last succeeded; null if it never has').nullable(),
  dueAt: timeOut('When it is due next; null if that is not known').nullable(),
  failures: countOut('The attempts that failed since it last succeeded.'),
  problem: textOrNullOut('Why the last attempt failed; null after a success.', 500),
}));

const tasksSchema = recordOut('Tasks', 'What the service does by itself.', () => ({
  tasks: z.array(taskSchema).max(TASKS_MAX).meta({ description: 'In order of their names.' }),
}));

function taskValue({ heartbeat, ...task }: TaskRecord) {
  const { name, holder, succeededAt, dueAt, failures, problem } = task;
  const times = withTimeTexts({ succeededAt, dueAt });
  return { name, underWay: heartbeat > 0n, holder, ...times, failures, problem };
}

export const taskOperations = operationsNamed({
  getTasks: defineOperation({
    method: 'GET',
    path: '/tasks',
    access: 'admin',
    stability: 'experimental',
    tag: 'Tasks',
    summary: 'Get the tasks of the service',
    description:
      'Returns what the service does by itself, such as backups: when it last succeeded, and whether it fails.',
    success: shows('The tasks.', tasksSchema, {
      tasks: [
        {
          ...{ name: 'backups', underWay: false, holder: 'shop-1 4711' },
          succeededAt: '2026-11-22T02:00:12.000Z',
          dueAt: '2026-11-23T02:00:00.000Z',
          ...{ failures: 0, problem: null },
        },
      ],
    }),
    async handle(_, { storage }) {
      const tasks = (await storage.tasks.list()).slice(0, TASKS_MAX);
      return { value: { tasks: tasks.map(taskValue) } };
    },
  }),
});
