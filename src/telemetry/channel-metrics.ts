import type { Channel } from '../domain/channel.ts';
import { gauge, type Metric } from './exposition.ts';

/** The channels of the deployment as a process has read them last. */
export interface ChannelReport {
  readonly channels: readonly Channel[];
}

/** The metric of channels; when each got its file is in those of tasks. */
export function channelMetrics(report: () => ChannelReport | undefined): readonly Metric[] {
  return [
    gauge(
      'petstore_channel_failures',
      'Files of a channel in a row that failed or were held back; -1 while it is disabled on request. Each instance shows all channels.',
      () =>
        (report()?.channels ?? []).map(
          ({ id, kind, disabledReason, failures }) =>
            [{ channel: `${id}`, kind }, disabledReason === 'requested' ? -1 : failures] as const,
        ),
    ),
  ];
}
