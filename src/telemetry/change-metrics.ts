import { WAIT_ENDS, type WaitReport } from '../domain/change-feed.ts';
import type { NumberingLag } from '../domain/change-log.ts';
import { SECOND_MS } from '../domain/clock.ts';
import type { Metric } from './exposition.ts';

interface MeasuredLag {
  /** How the numbering of changes keeps up; undefined while that is unknown. */
  lag(): NumberingLag | undefined;
}

/** The metrics of those who follow the change log. `waits` returns undefined until they are served. */
export function waitMetrics(waits: () => WaitReport | undefined): readonly Metric[] {
  return [
    {
      name: 'petstore_events_requests_waiting',
      help: 'Requests that wait for events; they are not in progress.',
      type: 'gauge',
      samples() {
        const report = waits();
        return report === undefined ? [] : [[{}, report.waiting]];
      },
    },
    {
      name: 'petstore_events_waits_total',
      help: 'Waits for events by how they ended: with events, out of time, disconnected client, shutdown, failed read, or refused because too many requests waited.',
      type: 'counter',
      samples() {
        const ended = waits()?.ended;
        return ended === undefined ? [] : WAIT_ENDS.map((end) => [{ end }, ended[end]] as const);
      },
    },
  ];
}

/** The metrics of the change log. */
export function lagMetrics({ lag }: MeasuredLag): readonly Metric[] {
  return [
    {
      name: 'petstore_changes_unnumbered',
      help: 'Committed changes that have no id yet, so that no reader sees them.',
      type: 'gauge',
      samples() {
        const known = lag();
        return known === undefined ? [] : [[{}, known.waiting]];
      },
    },
    {
      name: 'petstore_changes_unnumbered_age_seconds',
      help: 'Age of the oldest committed change that has no id yet: how late events are.',
      type: 'gauge',
      samples() {
        const known = lag();
        return known === undefined ? [] : [[{}, known.oldestMs / SECOND_MS]];
      },
    },
  ];
}
