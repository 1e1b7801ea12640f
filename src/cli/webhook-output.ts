import {
  DISABLED_BECAUSE,
  type TestOutcome,
  type Webhook,
  webhookStatus,
} from '../domain/webhook.ts';
import { minuteText, timeText } from './key-output.ts';
import { printable, table } from './print.ts';
import { programName } from './program-name.ts';

/** The facts that every output shows. Ids of webhooks stay below 2^53, so a JSON number holds them. */
function webhookFacts(webhook: Webhook) {
  const { url, types, description, disabledReason, ownerId } = webhook;
  return {
    id: Number(webhook.id),
    url,
    types,
    description,
    status: webhookStatus(webhook),
    disabledReason,
    keyId: ownerId === null ? null : Number(ownerId),
    createdAt: timeText(webhook.createdAt),
    lastSuccessAt: timeText(webhook.lastSuccessAt),
    failingSince: timeText(webhook.failingSince),
  };
}

/** Formats webhooks as a JSON array. */
export function webhookListing(webhooks: readonly Webhook[]): string {
  return JSON.stringify(webhooks.map(webhookFacts));
}

const HEADER = ['ID', 'LAST SUCCESS', 'FAILING SINCE', 'TYPES', 'URL', 'STATUS'];

/** Formats webhooks as a table. */
export function webhookTable(webhooks: readonly Webhook[]): string {
  if (webhooks.length === 0) {
    return `There are no webhooks yet. Create one with \`${programName()} webhooks create\`.`;
  }
  const cells = webhooks.map((webhook) => [
    String(webhook.id),
    minuteText(webhook.lastSuccessAt, 'never'),
    minuteText(webhook.failingSince, '-'),
    webhook.types?.join(',') ?? 'all',
    printable(webhook.url),
    statusText(webhook),
  ]);
  return `${table([HEADER, ...cells])}\nTimes are UTC.`;
}

function statusText({ disabledReason }: Webhook): string {
  return disabledReason === null ? 'enabled' : `disabled: ${DISABLED_BECAUSE[disabledReason]}`;
}

/** Formats a new webhook as JSON. */
export function newWebhookJson(webhook: Webhook, secret: string): string {
  const { id, ...rest } = webhookFacts(webhook);
  return JSON.stringify({ id, secret, ...rest });
}

/** Formats a new webhook for people. */
export function newWebhookText({ id, url, types }: Webhook, secret: string): string {
  const sent = types === null ? 'all events' : `the events ${types.join(', ')}`;
  return [
    secret,
    '',
    `Webhook ${id} for ${url}: gets ${sent} from now on.`,
    'Save the secret now: it cannot be shown again. The receiver verifies requests with it.',
  ].join('\n');
}

/** Formats the outcome of a test as JSON, as `POST /webhooks/{webhookId}/test` does. */
export function outcomeJson({ isDelivered: delivered, ...outcome }: TestOutcome): string {
  return JSON.stringify({ delivered, ...outcome });
}

/** Formats the outcome of a test for people. */
export function outcomeText(id: bigint, outcome: TestOutcome): string {
  const { isDelivered, status, error = '', milliseconds } = outcome;
  return isDelivered
    ? `Webhook ${id} got the test: its receiver responded with ${status} in ${milliseconds} ms.`
    : `webhook ${id} did not get the test, after ${milliseconds} ms: ${error}`;
}
