import { Command } from 'commander';
import { CHANGE_TYPES, type ChangeType } from '../domain/change-log.ts';
import { systemClock } from '../domain/clock.ts';
import { linesProblem } from '../domain/name.ts';
import type { Storage } from '../domain/storage.ts';
import { WEBHOOK_DESCRIPTION_MAX, WEBHOOKS_MAX, type Webhook } from '../domain/webhook.ts';
import { createWebhookService, type RunningWebhookService } from '../server/webhooks.ts';
import { DATABASE_SETTINGS } from '../settings/settings.ts';
import type { Access } from '../storage/opening.ts';
import { byCommand, commandOn, found, listArgument } from './arguments.ts';
import { CommandFailure } from './explain.ts';
import { print, printPieces } from './print.ts';
import { addDatabaseSettings, addSettings, withStorage } from './setting-options.ts';
import {
  newWebhookJson,
  newWebhookText,
  outcomeJson,
  outcomeText,
  webhookListing,
  webhookTable,
} from './webhook-output.ts';

/** `petstore webhooks …` */
export function webhooksCommand(): Command {
  return new Command('webhooks')
    .description('list, create, test, enable and remove webhooks')
    .addCommand(listCommand())
    .addCommand(createCommand())
    .addCommand(testCommand())
    .addCommand(enableCommand())
    .addCommand(removeCommand());
}

const commandOnWebhook = commandOn.bind(undefined, 'webhook', 'webhooks list');

/** Adds the settings of commands that check a URL, sign or send. */
function addSendingSettings(command: Command): Command {
  return addSettings(command, [...DATABASE_SETTINGS, 'webhookPorts', 'webhookAllow', 'secretKey']);
}

/** Opens storage and service, runs `work`, and closes both. */
function withService(
  command: Command,
  access: Access,
  work: (storage: Storage, service: RunningWebhookService) => Promise<void>,
): Promise<void> {
  return withStorage(command, access, async (storage, config) => {
    const service = createWebhookService(config, systemClock);
    try {
      await work(storage, service);
    } finally {
      service.close();
    }
  });
}

function listCommand(): Command {
  const command = new Command('list')
    .description('list all webhooks, and why some are disabled')
    .option('--json', 'print JSON');
  return addDatabaseSettings(command).action((options) =>
    withStorage(command, 'read', async ({ webhooks }) => {
      const { items } = await webhooks.page({ afterId: undefined, limit: WEBHOOKS_MAX });
      await printPieces([options.json ? webhookListing(items) : webhookTable(items), '\n']);
    }),
  );
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
  return addSendingSettings(command).action((url: string, options) =>
    withService(command, 'change', async ({ webhooks }, service) => {
      const description = descriptionOf(options.description);
      const problem = await service.problemOf(url);
      if (problem !== undefined) throw new CommandFailure(`the URL ${problem}.`);
      const types = typesOf(options.types);
      const secret = service.newSecret();
      const createdAt = systemClock.now();
      const created = await webhooks.create(
        { url, types, description, createdAt },
        (id) => service.encrypt(secret, id),
        byCommand(),
      );
      const text = options.json ? newWebhookJson(created, secret) : newWebhookText(created, secret);
      await print(`${text}\n`);
    }),
  );
}

/** Throws `CommandFailure` for a description that is not allowed. */
function descriptionOf(text: string | undefined): string | null {
  const problem = text === undefined ? undefined : linesProblem(text, WEBHOOK_DESCRIPTION_MAX);
  if (problem !== undefined) throw new CommandFailure(`--description ${problem}.`);
  return text ?? null;
}

/** Returns each type once; null for all. */
function typesOf(types: readonly ChangeType[] | undefined): readonly ChangeType[] | null {
  return types === undefined ? null : [...new Set(types)];
}

function testCommand(): Command {
  const command = commandOnWebhook(
    'test',
    'send webhook.test now, and show the outcome after at most 15 seconds',
  ).option('--json', 'print JSON');
  return addSendingSettings(command).action((id: bigint, options) =>
    withService(command, 'read', async ({ webhooks }, service) => {
      const outcome = await service.test(found('webhook', await webhooks.find(id), id));
      if (options.json) await print(`${outcomeJson(outcome)}\n`);
      else if (outcome.isDelivered) await print(`${outcomeText(id, outcome)}\n`);
      if (!outcome.isDelivered) throw new CommandFailure(outcomeText(id, outcome));
    }),
  );
}

function enableCommand(): Command {
  const command = commandOnWebhook(
    'enable',
    'send events again, starting with the first that was not delivered',
  );
  return addDatabaseSettings(command).action((id: bigint) =>
    withStorage(command, 'change', async ({ webhooks }) => {
      const enabled = (current: Webhook) => ({ ...current, disabledReason: null });
      const enable = webhooks.update(id, enabled, byCommand());
      const { url } = found('webhook', await enable, id);
      await print(`Webhook ${id} (${url}) is enabled. Running servers send within a second.\n`);
    }),
  );
}

function removeCommand(): Command {
  const command = commandOnWebhook('remove', 'remove a webhook and the log of its deliveries');
  return addDatabaseSettings(command).action((id: bigint) =>
    withStorage(command, 'change', async ({ webhooks }) => {
      found('webhook', (await webhooks.remove(id, () => {}, byCommand())) || undefined, id);
      await print(`Webhook ${id} is removed. Running servers stop sending within a second.\n`);
    }),
  );
}
