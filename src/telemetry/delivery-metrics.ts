import { SECOND_MS } from '../domain/clock.ts';
import { ATTEMPT_OUTCOMES, type DeliveryReport, WEBHOOK_STATES } from '../domain/delivery.ts';
import { counter, gauge, type Metric } from './exposition.ts';

/** The metrics of webhooks. */
export function deliveryMetrics(report: () => DeliveryReport): readonly Metric[] {
  const single = (name: string, help: string, read: (report: DeliveryReport) => number) =>
    gauge(name, help, () => [[{}, read(report())]]);
  return [
    gauge(
      'petstore_webhooks',
      'Webhooks of the deployment: enabled, or by the reason why they are disabled. Each instance shows all of them.',
      () => {
        const { webhooks } = report();
        return webhooks === undefined
          ? []
          : WEBHOOK_STATES.map((state) => [{ state }, webhooks[state]] as const);
      },
    ),
    single(
      'petstore_webhooks_held',
      'Webhooks that this instance delivers to.',
      ({ held }) => held,
    ),
    single(
      'petstore_webhook_events_queued',
      'Events that this instance has still to deliver, at most 1,000 for each webhook; more stay in the change log.',
      ({ queued }) => queued,
    ),
    single(
      'petstore_webhook_oldest_event_age_seconds',
      'Age of the oldest event that this instance has still to deliver; 0 if there is none.',
      ({ oldestMs }) => oldestMs / SECOND_MS,
    ),
    single(
      'petstore_webhook_attempts_in_progress',
      'Attempts to deliver that wait for their receiver, at most 512.',
      ({ sending }) => sending,
    ),
    counter(
      'petstore_webhook_attempts_total',
      'Attempts to deliver by outcome: delivered, rejected by the receiver, timeout, unreachable, refused target, unreadable secret, or an event that expired before.',
      () => {
        const { attempts } = report();
        return ATTEMPT_OUTCOMES.map((outcome) => [{ outcome }, attempts[outcome]] as const);
      },
    ),
  ];
}
