import { type NumberingLag, WAIT_ENDS, type WaitReport } from '../domain/change-log.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { counter, gauge, type Metric, single } from './exposition.ts';

interface MeasuredLag {
  /** How the numbering of changes keeps up; undefined while that is unknown. */
  lag(): NumberingLag | undefined;
}

/** The metrics of those who follow the change log. `waits` returns undefined until they are served. */
export function waitMetrics(waits: () => WaitReport | undefined): readonly Metric[] {
  return [
    gauge(
      'petstore_events_requests_waiting',
      'Requests that wait for events; they are not in progress.',
      () => single(waits()?.waiting),
    ),
    counter(
      'petstore_events_waits_total',
      'Waits for events by how they ended: with events, out of time, disconnected client, shutdown, failed read, or refused because too many requests waited.',
      () => {
        const ended = waits()?.ended;
        return ended === undefined ? [] : WAIT_ENDS.map((end) => [{ end }, ended[end]] as const);
      },
    ),
  ];
}

/** The metrics of the change log. */
export function lagMetrics({ lag }: MeasuredLag): readonly Metric[] {
  return [
    gauge(
      'petstore_changes_unnumbered',
      'Committed changes that have no id yet, so that no reader sees them.',
      () => single(lag()?.waiting),
    ),
    gauge(
      'petstore_changes_unnumbered_age_seconds',
      'Age of the oldest committed change that has no id yet: how late events are.',
      () => {
        const known = lag();
        return single(known && known.oldestMs / SECOND_MS);
      },
    ),
  ];
}
