import { Command } from 'commander';
import { CHANGE_TYPES, type ChangeType } from '../domain/change-log.ts';
import { systemClock } from '../domain/clock.ts';
import { linesProblem } from '../domain/name.ts';
import type { Storage } from '../domain/storage.ts';
import {
  DISABLED_BECAUSE,
  type TestOutcome,
  WEBHOOK_DESCRIPTION_MAX,
  WEBHOOKS_MAX,
  type Webhook,
  webhookStatus,
} from '../domain/webhook.ts';
import {
  createWebhookService,
  forwardEvents,
  type RunningWebhookService,
} from '../server/webhooks.ts';
import type { Access } from '../storage/opening.ts';
import { byCommand, commandOn, found, listArgument } from './arguments.ts';
import { CommandFailure } from './explain.ts';
import { minuteText, timeText } from './key-output.ts';
import { print, printable, printPieces, table } from './print.ts';
import { programName } from './program-name.ts';
import { addSettings, type Given, onStorage } from './setting-options.ts';

/** `petstore webhooks …` */
export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description('list, create, test, forward, enable and remove webhooks')
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(testCommand())
    .addCommand(forwardCommand())
    .addCommand(enableCommand())
    .addCommand(removeCommand());
}

const commandOnWebhook = commandOn.bind(undefined, 'webhook', 'webhooks list');

/** Adds the settings of commands that check a URL, sign or send. */
function addSendingSettings(command: Command): Command {
  return addSettings(command, ['webhookPorts', 'webhookAllow', 'secretKey']);
}

/** Adds what a command does with storage and service, and the settings that it needs for that. */
function onService(
  command: Command,
  access: Access,
  work: (storage: Storage, service: RunningWebhookService, ...given: Given) => Promise<void>,
): Command {
  onStorage(command, access, async (storage, config, ...given) => {
    const service = createWebhookService(config, systemClock);
    try {
      await work(storage, service, ...given);
    } finally {
      service.close();
    }
  });
  return addSendingSettings(command);
}

function listCommand(): Command {
  const command = new Command('list')
    .description('list all webhooks, and why some are disabled')
    .option('--json', 'print JSON');
  return onStorage(command, 'read', async ({ webhooks }, _config, options) => {
    const { items } = await webhooks.page({ afterId: undefined, limit: WEBHOOKS_MAX });
    const text = options.json ? JSON.stringify(items.map(webhookFacts)) : webhookTable(items);
    await printPieces([text, '\n']);
  });
}

function createCommand(): Command {
  const command = new Command('create')
    .description('create a webhook and show its secret, once')
    .argument('<URL>', 'where events are sent')
    .option(
      '--types <LIST>',
      'types of events to send, separated by commas; all by default',
      listArgument(CHANGE_TYPES),
    )
    .option('--description <TEXT>', 'what the webhook is for')
    .option('--json', 'print JSON');
  return onService(command, 'change', async ({ webhooks }, service, url: string, options) => {
    const description = descriptionOf(options.description);
    const problem = await service.problemOf(url);
    if (problem !== undefined) throw new CommandFailure(`the URL ${problem}.`);
    const types = options.types ? [...new Set<ChangeType>(options.types)] : null;
    const secret = service.newSecret();
    const createdAt = systemClock.now();
    const created = await webhooks.create(
      { url, types, description, createdAt },
      (id) => service.encrypt(secret, id),
      byCommand(),
    );
    const text = options.json ? newWebhookJson(created, secret) : newWebhookText(created, secret);
    await print(`${text}\n`);
  });
}

/** Throws `CommandFailure` for a description that is not allowed. */
function descriptionOf(text: string | undefined): string | null {
  const problem = text === undefined ? undefined : linesProblem(text, WEBHOOK_DESCRIPTION_MAX);
  if (problem !== undefined) throw new CommandFailure(`--description ${problem}.`);
  return text ?? null;
}

function testCommand(): Command {
  const command = commandOnWebhook(
    'test',
    'send webhook.test now, and show the outcome after at most 15 seconds',
  ).option('--json', 'print JSON');
  return onService(command, 'read', async ({ webhooks }, service, id: bigint, options) => {
    const outcome = await service.test(found('webhook', await webhooks.find(id), id));
    if (options.json) await print(`${outcomeJson(outcome)}\n`);
    else if (outcome.isDelivered) await print(`${outcomeText(id, outcome)}\n`);
    if (!outcome.isDelivered) throw new CommandFailure(outcomeText(id, outcome));
  });
}

function enableCommand(): Command {
  const command = commandOnWebhook(
    'enable',
    'send events again, starting with the first that was not delivered',
  );
  return onStorage(command, 'change', async ({ webhooks }, _config, id: bigint) => {
    const enabled = (current: Webhook) => ({ ...current, disabledReason: null });
    const enable = webhooks.update(id, enabled, byCommand());
    const { url } = found('webhook', await enable, id);
    await print(`Webhook ${id} (${url}) is enabled. Running servers send within a second.\n`);
  });
}

function removeCommand(): Command {
  const command = commandOnWebhook('remove', 'remove a webhook and the log of its deliveries');
  return onStorage(command, 'change', async ({ webhooks }, _config, id: bigint) => {
    found('webhook', (await webhooks.remove(id, () => {}, byCommand())) || undefined, id);
    await print(`Webhook ${id} is removed. Running servers stop sending within a second.\n`);
  });
}

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

const HEADER = ['ID', 'LAST SUCCESS', 'FAILING SINCE', 'TYPES', 'URL', 'STATUS'];

/** Formats webhooks as a table. */
function webhookTable(webhooks: readonly Webhook[]): string {
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
function newWebhookJson(webhook: Webhook, secret: string): string {
  const { id, ...rest } = webhookFacts(webhook);
  return JSON.stringify({ id, secret, ...rest });
}

/** Formats a new webhook for people. */
function newWebhookText({ id, url, types }: Webhook, secret: string): string {
  const sent = types === null ? 'all events' : `the events ${types.join(', ')}`;
  return [
    secret,
    '',
    `Webhook ${id} for ${url}: gets ${sent} from now on.`,
    'Save the secret now: it cannot be shown again. The receiver verifies requests with it.',
  ].join('\n');
}

/** Formats the outcome of a test as JSON, as `POST /webhooks/{webhookId}/test` does. */
function outcomeJson({ isDelivered: delivered, ...outcome }: TestOutcome): string {
  return JSON.stringify({ delivered, ...outcome });
}

/** Formats the outcome of a test for people. */
function outcomeText(id: bigint, outcome: TestOutcome): string {
  const { isDelivered, status, error = '', milliseconds } = outcome;
  return isDelivered
    ? `Webhook ${id} got the test: its receiver responded with ${status} in ${milliseconds} ms.`
    : `webhook ${id} did not get the test, after ${milliseconds} ms: ${error}`;
}

/** A program on this machine is what forwarding is for, so no setting has to allow it. */
const THIS_MACHINE = ['127.0.0.0/8', '::1/128'];

/** `petstore webhooks forward ID URL` */
function forwardCommand(): Command {
  const command = commandOnWebhook(
    'forward',
    'send what a webhook gets to a program on this machine too, until Ctrl+C',
  ).argument('<URL>', 'where the program listens, such as http://127.0.0.1:3000/');
  onStorage(command, 'read', async ({ webhooks, changes }, config, id: bigint, url: string) => {
    const webhook = found('webhook', await webhooks.find(id), id);
    const webhookAllow = [...config.webhookAllow, ...THIS_MACHINE];
    const service = createWebhookService({ ...config, webhookAllow }, systemClock);
    const stop = new AbortController();
    const end = () => stop.abort();
    process.once('SIGINT', end).once('SIGTERM', end);
    try {
      const problem = await service.problemOf(url);
      if (problem !== undefined) throw new CommandFailure(`the URL ${problem}.`);
      const types = webhook.types?.join(', ') ?? 'all events';
      await print(`Forwarding webhook ${id} (${types}) to ${printable(url)}. Ctrl+C ends it.\n`);
      await forwardEvents(
        { ...webhook, url },
        {
          changes,
          send: service.send,
          signal: stop.signal,
          async sent({ id: eventId, type }, outcome) {
            const result = 'failure' in outcome ? printable(outcome.reason) : outcome.status;
            await print(`${eventId} ${type}: ${result} (${outcome.milliseconds} ms)\n`);
          },
        },
      );
    } finally {
      process.off('SIGINT', end).off('SIGTERM', end);
      service.close();
    }
  });
  return addSendingSettings(command);
}
