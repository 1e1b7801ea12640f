import { SECOND_MS } from '../domain/clock.ts';
import type { DatabaseSpace } from '../domain/storage.ts';
import { gauge, type Metric, single } from './exposition.ts';

/** What fills up or ends, long before callers notice. */
export interface MeasuredRoom {
  /** The database as last measured; undefined while that is unknown. */
  space(): DatabaseSpace | undefined;
  /** The end of the TLS certificate, in milliseconds since the Unix epoch; undefined without one. */
  certificateEndsAt(): number | undefined;
}

/** The metrics of the database's space and of the certificate. */
export function roomMetrics({ space, certificateEndsAt }: MeasuredRoom): readonly Metric[] {
  return [
    gauge(
      'petstore_database_size_bytes',
      'Size of the database: of its file, or as the PostgreSQL server reports it. Each instance shows all of it.',
      () => single(space()?.size),
    ),
    gauge(
      'petstore_database_log_bytes',
      'Size of the write-ahead log beside the file (embedded database).',
      () => single(space()?.log),
    ),
    gauge(
      'petstore_disk_free_bytes',
      'Free space on the disk of the database (embedded database).',
      () => single(space()?.free),
    ),
    gauge(
      'petstore_tls_certificate_end_time_seconds',
      'End of the TLS certificate in use, in seconds since the Unix epoch. No sample without one.',
      () => {
        const endsAt = certificateEndsAt();
        return single(endsAt && endsAt / SECOND_MS);
      },
    ),
  ];
}
