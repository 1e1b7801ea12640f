import { type Backups, createBackups } from '../backups/schedule.ts';
import { type Clock, DAY_MS } from '../domain/clock.ts';
import { createFormSigning } from '../domain/form-signing.ts';
import type { Storage } from '../domain/storage.ts';
import type { Scheduler } from '../jobs/scheduler.ts';
import { Mails } from '../mail/mails.ts';
import type { Config } from '../settings/config.ts';
import type { Log } from '../telemetry/log.ts';

interface Running {
  readonly storage: Storage;
  readonly clock: Clock;
  readonly scheduler: Pick<Scheduler, 'add' | 'note'>;
  readonly log: Log;
}

/** Whether the settings name a mail server, and who gets the mails to staff. */
export function sendsMails({ smtp, notify }: Pick<Config, 'smtp' | 'notify'>): boolean {
  return smtp !== undefined && notify.length > 0;
}

/** Creates the mails that the settings ask for. `baseUrl` is known once the service has bound its address. */
export function createConfiguredMails(
  config: Config,
  { storage, clock, scheduler, log }: Running,
  baseUrl: Promise<string>,
): Mails | undefined {
  const { smtp } = config;
  if (smtp === undefined) return undefined;
  if (!sendsMails(config)) {
    log.warn('no mails are sent: PETSTORE_NOTIFY does not say to whom');
    return undefined;
  }
  const { tokenOf } = createFormSigning(storage.shop);
  const root = baseUrl.then((url) => url.replace(/\/v1$/, ''));
  // Loaded late: nothing else needs the texts of the public pages at the start.
  const pages = () => import('../adopt/alert-search.ts');
  return new Mails({
    settings: { ...config, smtp },
    ...{ storage, clock, log, root },
    keptDays: Math.ceil(config.enquiriesKeepMs / DAY_MS),
    async animalsOf(alert, language) {
      const { findListedSince } = await pages();
      return findListedSince(storage.listings, await root, alert, language, clock.now());
    },
    searchText: async (search, language) => (await pages()).searchTextIn(search, language),
    async linkOf(alert, what) {
      const token = encodeURIComponent(await tokenOf(alert, what));
      return `${await root}/adopt/alerts/${what}?token=${token}&lang=${alert.language}`;
    },
    noted: (problem) => scheduler.note('mails', problem),
  });
}

/** Schedules backups, if the settings say where. */
export function addConfiguredBackups(
  config: Config,
  { scheduler, clock, log }: Omit<Running, 'storage'>,
): Backups | undefined {
  const { database, environment, backup: place } = config;
  if (place === undefined) return undefined;
  const often = { everyMs: config.backupEveryMs, keep: config.backupKeep };
  const order = { database, environment, place, photos: config.photos, ...often };
  const backups = createBackups({ order, clock, log });
  scheduler.add(backups.task);
  return backups;
}
