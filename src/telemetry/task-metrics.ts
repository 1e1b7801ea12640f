import type { BackupReport } from '../domain/backup.ts';
import { ERASED, type RetentionReport } from '../domain/retention.ts';
import type { TaskRecord } from '../domain/task.ts';
import { counter, gauge, type Metric, seconds } from './exposition.ts';

/** Sources of the metrics of periodic work. What is undefined has no sample. */
export interface MeasuredTasks {
  /** The backups that it makes. */
  backups(): BackupReport | undefined;
  /** What retention erases. */
  retention(): RetentionReport | undefined;
  /** The tasks of the scheduler, each done by one process of the deployment at a time. */
  tasks(): readonly TaskRecord[];
}

/** The metrics of backups, of retention, and of all tasks of the scheduler. */
export function taskMetrics(measured: MeasuredTasks): readonly Metric[] {
  return [...backupMetrics(measured), ...retentionMetrics(measured), ...scheduleMetrics(measured)];
}

function backupMetrics({ backups }: MeasuredTasks): readonly Metric[] {
  return [
    gauge(
      'petstore_backup_last_success_timestamp_seconds',
      'Unix time at which the newest backup of any instance started; 0 if none is known.',
      () => seconds(backups() && (backups()?.newest?.at ?? 0)),
    ),
    gauge(
      'petstore_backup_interval_seconds',
      'How often a backup is to be made: PETSTORE_BACKUP_EVERY.',
      () => seconds(backups()?.everyMs),
    ),
    gauge(
      'petstore_backup_size_bytes',
      'Size of the newest backup.',
      () => backups()?.newest?.bytes,
    ),
    gauge(
      'petstore_integrity_check_timestamp_seconds',
      'Unix time at which this instance last looked for damage in the database, once a day with its backups; 0 if it has not.',
      () => seconds(backups() && (backups()?.checked?.at ?? 0)),
    ),
    gauge(
      'petstore_integrity_faults',
      'Kinds of damage that it found: pages, indexes, or photos without their files.',
      () => backups()?.checked?.faults,
    ),
    counter(
      'petstore_backup_failures_total',
      'Backups of this instance that failed; each is tried again.',
      () => backups()?.failures,
    ),
  ];
}

function retentionMetrics({ retention }: MeasuredTasks): readonly Metric[] {
  return [
    gauge(
      'petstore_retention_waiting',
      '1 while nothing is erased because the clock is behind the newest record or more than a week ahead of it, else 0.',
      () => retention()?.isWaiting,
    ),
    counter(
      'petstore_erased_rows_total',
      'Rows that this instance has erased because their time was over, by table; asked: by `petstore erase --now`.',
      () =>
        ERASED.flatMap((table) => {
          const { asked = 0, due = 0 } = retention()?.erased.get(table) ?? {};
          return [
            [{ table, asked: 'yes' }, asked],
            [{ table, asked: 'no' }, due],
          ] as const;
        }),
    ),
    gauge(
      'petstore_erased_table_rows',
      'Rows that a table had before this instance erased some on the last day on which it did. No sample until then.',
      () =>
        [...(retention()?.erased ?? [])].map(
          ([table, { rowsBefore }]) => [{ table }, rowsBefore] as const,
        ),
    ),
  ];
}

function scheduleMetrics({ tasks }: MeasuredTasks): readonly Metric[] {
  const ofTask = (name: string, help: string, read: (task: TaskRecord) => number | undefined) =>
    gauge(name, help, () =>
      tasks().flatMap((task) => {
        const value = read(task);
        return value === undefined ? [] : [[{ task: task.name }, value] as const];
      }),
    );
  return [
    ofTask(
      'petstore_task_last_success_timestamp_seconds',
      'Unix time at which a task of the service last succeeded in any instance; 0 if it never has. Each instance shows all of them.',
      ({ succeededAt }) => seconds(succeededAt ?? 0),
    ),
    ofTask(
      'petstore_task_due_timestamp_seconds',
      'Unix time at which it is due next.',
      ({ dueAt }) => seconds(dueAt),
    ),
    ofTask(
      'petstore_task_failures',
      'Attempts that failed since its last success.',
      ({ failures }) => failures,
    ),
  ];
}
