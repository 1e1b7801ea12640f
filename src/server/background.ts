import { type Backups, createBackups } from '../backups/schedule.ts';
import type { Clock } from '../domain/clock.ts';
import type { Fence, Storage } from '../domain/storage.ts';
import type { Scheduler } from '../jobs/scheduler.ts';
import { type Mailer, startMailer } from '../mail/mailer.ts';
import type { Config } from '../settings/config.ts';
import type { Log } from '../telemetry/log.ts';

/** What the process does beside requests, if the settings ask for it. */
export interface Background {
  readonly mailer: Mailer | undefined;
  readonly backups: Backups | undefined;
}

interface Running {
  readonly storage: Storage;
  readonly fence: Fence;
  readonly clock: Clock;
  readonly scheduler: Pick<Scheduler, 'add'>;
  readonly log: Log;
}

/** Starts what the settings ask for, until `opened` is disposed of. */
export function startBackground(
  config: Config,
  running: Running,
  baseUrl: string,
  opened: AsyncDisposableStack,
): Background {
  return {
    mailer: startConfiguredMailer(config, running, baseUrl, opened),
    backups: startConfiguredBackups(config, running),
  };
}

/** Starts to mail staff, if the settings name a mail server. */
function startConfiguredMailer(
  config: Config,
  { storage, fence, clock, log }: Running,
  baseUrl: string,
  opened: AsyncDisposableStack,
): Mailer | undefined {
  const { smtp } = config;
  if (smtp === undefined) return undefined;
  if (config.notify.length === 0) {
    log.warn('no mails are sent: PETSTORE_NOTIFY does not say to whom');
    return undefined;
  }
  const parts = { storage: storage.mails, root: baseUrl.replace(/\/v1$/, ''), clock, log };
  const settings = { ...config, smtp };
  const mailer = startMailer({ settings, ...parts, isFenced: fence.isFenced });
  opened.defer(mailer.end);
  return mailer;
}

/** Starts to make backups, if the settings say where. */
function startConfiguredBackups(
  config: Config,
  { scheduler, clock, log }: Running,
): Backups | undefined {
  const { database, environment, backup: place } = config;
  if (place === undefined) return undefined;
  const often = { everyMs: config.backupEveryMs, keep: config.backupKeep };
  const order = { database, environment, place, photos: config.photos, ...often };
  const backups = createBackups({ order, clock, log });
  scheduler.add(backups.task);
  return backups;
}
