import type { BackupReport } from '../domain/backup.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { counter, gauge, type Metric, single } from './exposition.ts';

/** The metrics of the backups that the service makes by itself. Without any, they have no samples. */
export function backupMetrics(report: () => BackupReport | undefined): readonly Metric[] {
  return [
    gauge(
      'petstore_backup_last_success_timestamp_seconds',
      'When the newest backup was begun, by whichever instance, in Unix time; 0 if none is known.',
      () => single(seconds(report(), ({ newest }) => newest?.at ?? 0)),
    ),
    gauge(
      'petstore_backup_interval_seconds',
      'How often a backup is to be made: PETSTORE_BACKUP_EVERY.',
      () => single(seconds(report(), ({ everyMs }) => everyMs)),
    ),
    gauge('petstore_backup_size_bytes', 'Size of the newest backup.', () =>
      single(report()?.newest?.bytes),
    ),
    counter(
      'petstore_backup_failures_total',
      'Backups of this instance that failed; each is tried again.',
      () => single(report()?.failures),
    ),
  ];
}

function seconds(
  report: BackupReport | undefined,
  read: (report: BackupReport) => number,
): number | undefined {
  return report && read(report) / SECOND_MS;
}
