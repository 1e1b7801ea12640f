import { readAddress } from '../channels/address.ts';
import { Channels, nextAt } from '../channels/channels.ts';
import { makeFile } from '../channels/file.ts';
import type { Channel, ChannelService } from '../domain/channel.ts';
import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import type { PhotoService } from '../domain/photo.ts';
import type { Storage } from '../domain/storage.ts';
import type { Scheduler } from '../jobs/scheduler.ts';
import { STAFF_MESSAGES } from '../mail/messages/staff.ts';
import { sendMail } from '../mail/send.ts';
import { readersOf } from '../mail/staff-language.ts';
import type { Config } from '../settings/config.ts';
import type { Log } from '../telemetry/log.ts';
import { createAddressCheck, RefusedTarget } from '../webhooks/client.ts';
import { createSecretCipher } from '../webhooks/secrets.ts';

/** Interval at which every process reads the channels. */
const LOOK_MS = 2 * SECOND_MS;

interface RunningParts {
  readonly storage: Storage;
  readonly photos: Pick<PhotoService, 'read'>;
  readonly clock: Clock;
  readonly log: Log;
  readonly scheduler: Pick<Scheduler, 'add' | 'remove'>;
  readonly fence: { isFenced(): boolean };
  /** The base address, ending in `/v1`, once it is known. */
  readonly base: Promise<string>;
  /** The only authority to trust, as PEM; for tests. */
  readonly authority?: string | undefined;
}

/** The channels of this process. */
export interface RunningChannels extends ChannelService {
  report(): readonly Channel[];
}

/** Starts to send the files of channels when they are due, until `opened` is disposed of. */
export function startChannels(
  config: Config,
  parts: RunningParts,
  opened: AsyncDisposableStack,
): RunningChannels {
  const { storage, clock, log, scheduler, base } = parts;
  const cipher = createSecretCipher(config.secretKey, 'channel');
  const addressesOf = createAddressCheck(config);
  const fileOf: ChannelService['fileOf'] = async (channel, at) => {
    const root = (await base).replace(/\/v1$/, '');
    const pagesRoot = config.adopt === 'on' ? root : null;
    return makeFile(channel, { listings: storage.listings, root, pagesRoot }, at);
  };
  const channels = new Channels({
    ...{ storage: storage.channels, clock, cipher, addressesOf, makeFile: fileOf, log },
    readPhoto: (name) => parts.photos.read(name),
    waitsMs: config.webhookScheduleMs,
    tell: async (channel, problem) => tell(config, { storage, log }, await base, channel, problem),
    authority: parts.authority,
  });
  const known = new Map<bigint, Channel>();
  let looking: Promise<void> | undefined;
  let lookAgain = false;

  async function lookNow(): Promise<void> {
    const all = new Map((await storage.channels.all()).map((each) => [each.id, each]));
    const gone = [...known.keys()].filter((id) => !all.has(id));
    const isChanged = (channel: Channel) => {
      const last = known.get(channel.id);
      return last?.nextAt !== channel.nextAt || last.disabledReason !== channel.disabledReason;
    };
    const changed = [...all.values()].filter(isChanged);
    for (const [id, channel] of all) known.set(id, channel);
    for (const { id } of changed) scheduler.add(channels.task(id, () => known.get(id)));
    for (const id of gone) {
      // If that fails, the next look tries again.
      await scheduler.remove(`channel ${id}`);
      known.delete(id);
    }
  }

  async function look(): Promise<void> {
    do {
      lookAgain = false;
      try {
        if (!parts.fence.isFenced()) await lookNow();
      } catch (error) {
        if (!isUnavailable(error)) log.error('could not look which channels there are', error);
      }
    } while (lookAgain);
    looking = undefined;
  }

  function changed(): void {
    lookAgain = true;
    looking ??= look();
  }

  const timer = setInterval(changed, LOOK_MS);
  changed();
  opened.defer(async () => {
    clearInterval(timer);
    await looking;
  });
  return {
    canEncrypt: config.secretKey.length > 0,
    encrypt: cipher.encrypt,
    fileOf,
    requireTestPlace: () => channels.requireTestPlace(),
    test: (channel, at) => channels.test(channel, at),
    nextAt,
    changed,
    async problemOf(text) {
      const address = readAddress(text);
      if (typeof address === 'string') return address;
      try {
        await addressesOf(address.hostUrl, AbortSignal.timeout(5 * SECOND_MS));
      } catch (error) {
        // A name may get its address later.
        if (error instanceof RefusedTarget) return error.message;
      }
      return undefined;
    },
    report: () => [...known.values()],
  };
}

/** Tells staff of a channel that gets no file. Returns whether the mail server has taken the mail. */
async function tell(
  settings: Config,
  { storage, log }: Pick<RunningParts, 'storage' | 'log'>,
  baseUrl: string,
  { id, address }: Channel,
  problem: string,
): Promise<boolean> {
  const { smtp, notify } = settings;
  if (smtp === undefined || notify.length === 0) return false;
  const { hostname } = new URL(address.replace(/^\w+/, 'https'));
  const page = `${baseUrl.replace(/\/v1$/, '')}/console/channels?channel=${id}`;
  let isTold = false;
  for (const { language, to } of await readersOf(settings, storage)) {
    const t = STAFF_MESSAGES[language];
    const text = `${t.channelProblem(problem)}\n\n${t.channelNext}\n${page}\n`;
    const letter = { to, language, subject: t.channelSubject(hostname), text };
    try {
      await sendMail({ ...settings, smtp }, letter, crypto.randomUUID());
      isTold = true;
    } catch (error) {
      log.error('could not mail staff about a channel', error);
    }
  }
  return isTold;
}
