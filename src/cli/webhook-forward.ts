import { systemClock } from '../domain/clock.ts';
import { createWebhookService, forwardEvents } from '../server/webhooks.ts';
import { DATABASE_SETTINGS } from '../settings/settings.ts';
import { commandOn, found } from './arguments.ts';
import { CommandFailure } from './explain.ts';
import { print, printable } from './print.ts';
import { addSettings, withStorage } from './setting-options.ts';

/** A program on this machine is what forwarding is for, so no setting has to allow it. */
const THIS_MACHINE = ['127.0.0.0/8', '::1/128'];

/** `petstore webhooks forward ID URL` */
export function forwardCommand() {
  const command = commandOn(
    'webhook',
    'webhooks list',
    'forward',
    'send what a webhook gets to a program on this machine too, until Ctrl+C',
  ).argument('<URL>', 'where the program listens, such as http://127.0.0.1:3000/');
  addSettings(command, [...DATABASE_SETTINGS, 'webhookPorts', 'webhookAllow', 'secretKey']);
  return command.action((id: bigint, url: string) =>
    withStorage(command, 'read', async ({ webhooks, changes }, config) => {
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
    }),
  );
}
