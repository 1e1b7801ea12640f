import { SECOND_MS } from '../domain/clock.ts';
import { ATTEMPT_OUTCOMES, type DeliveryReport, WEBHOOK_STATES } from '../domain/delivery.ts';
import type { Metric } from './exposition.ts';

/** The metrics of webhooks. */
export function deliveryMetrics(report: () => DeliveryReport): readonly Metric[] {
  const gauge = (name: string, help: string, read: (report: DeliveryReport) => number): Metric => ({
    ...{ name, help, type: 'gauge' },
    samples: () => [[{}, read(report())]],
  });
  return [
    {
      name: 'petstore_webhooks',
      help: 'Webhooks of the deployment: enabled, or by the reason why they are disabled. Each instance shows all of them.',
      type: 'gauge',
      samples() {
        const { webhooks } = report();
        return webhooks === undefined
          ? []
          : WEBHOOK_STATES.map((state) => [{ state }, webhooks[state]] as const);
      },
    },
    gauge('petstore_webhooks_held', 'Webhooks that this instance delivers to.', ({ held }) => held),
    gauge(
      'petstore_webhook_events_queued',
      'Events that this instance has still to deliver, at most 1,000 for each webhook; more stay in the change log.',
      ({ queued }) => queued,
    ),
    gauge(
      'petstore_webhook_oldest_event_age_seconds',
      'Age of the oldest event that this instance has still to deliver; 0 if there is none.',
      ({ oldestMs }) => oldestMs / SECOND_MS,
    ),
    gauge(
      'petstore_webhook_attempts_in_progress',
      'Attempts to deliver that wait for their receiver, at most 512.',
      ({ sending }) => sending,
    ),
    {
      name: 'petstore_webhook_attempts_total',
      help: 'Attempts to deliver by outcome: delivered, rejected by the receiver, timeout, unreachable, refused target, unreadable secret, or an event that expired before.',
      type: 'counter',
      samples() {
        const { attempts } = report();
        return ATTEMPT_OUTCOMES.map((outcome) => [{ outcome }, attempts[outcome]] as const);
      },
    },
  ];
}
