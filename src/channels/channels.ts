import {
  type Channel,
  type ChannelDisabledReason,
  type ChannelFile,
  type ChannelStorage,
  type ChannelTest,
  guardProblem,
  LEFT_OUT_MAX,
  type Sending,
  type SendingEnd,
} from '../domain/channel.ts';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import type { Task } from '../jobs/scheduler.ts';
import type { SecretCipher } from '../webhooks/secrets.ts';
import { readAddress } from './address.ts';
import { FORMATS } from './formats.ts';
import { PhotoSender, type ReadPhoto, type SentPhotos } from './photos.ts';
import { OtherHostKey, openPlace, type Place, RefusedSignIn } from './place.ts';

/** The longest time for a test, and for a sending. */
const TEST_MS = 15 * SECOND_MS;
const SEND_MS = 10 * MINUTE_MS;
/** The wait before the next file, if photos are left for it. */
const MORE_PHOTOS_MS = MINUTE_MS;
const PROBLEM_MAX = 500;
/** Tests at once. */
const TESTS_MAX = 4;
/** The hour of the night, by the clock of the machine, for files that are sent once a day or less often. */
const NIGHT_HOUR = 3;

export interface ChannelParts {
  readonly storage: ChannelStorage;
  readonly clock: Clock;
  readonly cipher: SecretCipher;
  /** Returns the addresses that a host may be called at. Throws if it must not be. */
  addressesOf(hostUrl: string, signal: AbortSignal): Promise<readonly string[]>;
  makeFile(channel: Channel, at: number): Promise<ChannelFile>;
  readonly readPhoto: ReadPhoto;
  /** The waits after failures, in milliseconds: one for each. */
  readonly waitsMs: readonly number[];
  /** Tells staff of a problem by mail; returns false if that is not set up or fails. */
  tell(channel: Channel, problem: string): Promise<boolean>;
  readonly log: { info(message: string, facts?: object): void };
  readonly authority?: string | undefined;
}

/** Returns when a file is due that is sent at this interval, after `now`. */
export function nextAt(everyMs: number, now: number): number {
  if (everyMs < DAY_MS) return now + everyMs;
  // The night nearest to the whole interval: a day's file is not put off by an hour each day.
  const night = new Date(now + everyMs - DAY_MS / 2);
  night.setHours(NIGHT_HOUR, 0, 0, 0);
  while (night.getTime() <= now + everyMs - DAY_MS / 2) night.setDate(night.getDate() + 1);
  return night.getTime();
}

/** Makes, tests and sends the files of channels. */
export class Channels {
  readonly #parts: ChannelParts;
  readonly #photos: PhotoSender;
  #testing = 0;

  constructor(parts: ChannelParts) {
    this.#parts = parts;
    this.#photos = new PhotoSender(parts.readPhoto);
  }

  /** The task that sends the files of a channel. `known` returns it as it was read last. */
  task(id: bigint, known: () => Channel | undefined): Task {
    function dueAt(channel: Channel | undefined, now: number): number {
      if (channel === undefined || channel.disabledReason !== null) return Number.POSITIVE_INFINITY;
      // A clock that was ahead leaves a time that no interval leads to.
      return channel.nextAt > now + channel.everyMs + DAY_MS ? now : channel.nextAt;
    }
    return {
      name: `channel ${id}`,
      what: `send the file of channel ${id}`,
      dueAt: (_, now) => dueAt(known(), now),
      run: async (signal) => {
        const { storage, clock } = this.#parts;
        const channel = await storage.find(id);
        // Another process has sent it meanwhile, or it was changed.
        if (channel === undefined || dueAt(channel, clock.now()) > clock.now()) return false;
        await this.#send(channel, signal);
        return true;
      },
    };
  }

  /** Throws `service_unavailable` if no test can start now. */
  requireTestPlace(): void {
    if (this.#testing < TESTS_MAX) return;
    const message = 'Too many channels are tested; try again shortly.';
    throw new Failure('service_unavailable', message, { retryAfterSeconds: 5 });
  }

  /** Makes the file and connects, and sends nothing. Throws like `requireTestPlace`. */
  async test(channel: Channel, at: number): Promise<ChannelTest> {
    this.requireTestPlace();
    this.#testing++;
    const begin = performance.now();
    try {
      const file = await this.#parts.makeFile(channel, at);
      const outcome = await this.#try(channel);
      return { ...outcome, file, milliseconds: Math.round(performance.now() - begin) };
    } finally {
      this.#testing--;
    }
  }

  /** Says whether a place can be connected to. */
  async #try(channel: Channel): Promise<Pick<ChannelTest, 'works' | 'problem' | 'hostKey'>> {
    try {
      const { hostKey, close } = await this.#open(channel, AbortSignal.timeout(TEST_MS));
      await close();
      return { works: true, ...(hostKey !== undefined && { hostKey }) };
    } catch (error) {
      return { works: false, problem: problemOf(error) };
    }
  }

  /** Connects, and remembers the key of the host the first time. */
  async #open(channel: Channel, signal: AbortSignal) {
    const { storage, cipher, addressesOf, authority } = this.#parts;
    const address = readAddress(channel.address);
    if (typeof address === 'string') throw new Error(`The address ${address}.`);
    const stored = channel.secret && cipher.decrypt(channel.secret, channel.id);
    const credentials = stored === null ? {} : JSON.parse(stored);
    const [ip] = await addressesOf(address.hostUrl, signal).catch((error: Error) => {
      throw new Error(/^[A-Z]/.test(error.message) ? error.message : `The host ${error.message}.`);
    });
    if (ip === undefined) throw new Error('The name of the host has no address.');
    const place: Place = {
      ...{ address, ip, credentials, authority },
      hostKey: channel.hostKey ?? undefined,
    };
    const opened = await Promise.race([openPlace(place, signal), aborted(signal)]);
    if (opened.hostKey !== undefined && channel.hostKey === null) {
      await storage.rememberHostKey(channel.id, opened.hostKey);
    }
    return opened;
  }

  async #send(channel: Channel, signal: AbortSignal): Promise<void> {
    const { storage, clock, makeFile } = this.#parts;
    const sending = await storage.begin(channel.id, clock.now());
    let file: ChannelFile | undefined;
    let sent: SentPhotos;
    try {
      file = await makeFile(channel, clock.now());
      const held = sending.anyway ? undefined : guardProblem(file.rows, channel.sentRows);
      if (held !== undefined) {
        await this.#end(channel, sending, file, { outcome: 'held', problem: held });
        return;
      }
      sent = await this.#put(
        channel,
        file,
        AbortSignal.any([signal, AbortSignal.timeout(SEND_MS)]),
      );
    } catch (error) {
      // The process ends: whoever takes the task over sends the file.
      if (signal.aborted) return;
      const disabledReason = reasonToStop(error);
      const problem = problemOf(error);
      await this.#end(channel, sending, file, { outcome: 'failed', problem, disabledReason });
      throw new Error(problem);
    }
    await this.#end(channel, sending, file, { outcome: 'sent', problem: null, ...sent });
  }

  /** Sends the photos first, so that the file names none that is missing. */
  async #put(channel: Channel, file: ChannelFile, signal: AbortSignal): Promise<SentPhotos> {
    const place = await this.#open(channel, signal);
    const { folder } = FORMATS[channel.kind].photos;
    const work = async () => {
      const isUploaded = channel.photosAs === 'uploads';
      const sent = isUploaded
        ? await this.#photos.send(place, folder, file.photos)
        : { photosSent: 0, photosLeft: 0 };
      await place.put(file.name, new TextEncoder().encode(file.text));
      // The file is there: what cannot be removed now goes after the next one, if the place lets it.
      if (isUploaded) await this.#photos.removeOthers(place, folder, file.photos).catch(() => {});
      return sent;
    };
    try {
      return await Promise.race([work(), aborted(signal)]);
    } finally {
      await place.close();
    }
  }

  async #end(
    channel: Channel,
    sending: Sending,
    file: ChannelFile | undefined,
    end: Pick<SendingEnd, 'outcome' | 'problem' | 'disabledReason'> & Partial<SentPhotos>,
  ): Promise<void> {
    const { storage, clock, waitsMs, log } = this.#parts;
    const now = clock.now();
    const { everyMs, failures, id } = channel;
    const wait = Math.min(waitsMs[failures] ?? waitsMs.at(-1) ?? HOUR_MS, everyMs);
    // A file that is held back is made again when the next one is due.
    const isFailed = end.outcome === 'failed';
    const leftOut = file?.leftOut ?? [];
    const { photosSent = 0, photosLeft = 0 } = end;
    const next = photosLeft > 0 ? now + Math.min(everyMs, MORE_PHOTOS_MS) : nextAt(everyMs, now);
    await storage.end(sending, {
      ...end,
      ...{ photosSent, photosLeft },
      rows: file?.rows ?? 0,
      bytes: Buffer.byteLength(file?.text ?? ''),
      leftOutCount: leftOut.length,
      leftOut: leftOut.slice(0, LEFT_OUT_MAX),
      endedAt: now,
      nextAt: isFailed ? now + Math.max(wait, SECOND_MS) : next,
    });
    const facts = { channelId: String(id), rows: file?.rows, leftOut: leftOut.length };
    if (end.outcome === 'sent') return log.info('a file was sent to a channel', facts);
    if (end.outcome === 'held')
      log.info(`a file for a channel is held back: ${end.problem}`, facts);
    // Once for each problem: the first failure may pass by itself.
    const isLasting = !isFailed || failures > 0 || end.disabledReason !== undefined;
    if (!isLasting || channel.toldAt !== null || end.problem === null) return;
    if (await this.#parts.tell(channel, end.problem)) await storage.told(id, now);
  }
}

/** Rejects when the signal is aborted. */
function aborted(signal: AbortSignal): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  const fail = () => reject(new Error('It takes too long.'));
  if (signal.aborted) fail();
  else signal.addEventListener('abort', fail, { once: true });
  promise.catch(() => {});
  return promise;
}

/** Why no further attempt makes sense, if so. */
function reasonToStop(error: unknown): ChannelDisabledReason | undefined {
  if (error instanceof RefusedSignIn) return 'sign_in';
  return error instanceof OtherHostKey ? 'host_key' : undefined;
}

/** Why something failed, as a sentence in one line. */
function problemOf(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  const line = text.replace(/\s+/g, ' ').trim().replace(/\.?$/, '.');
  return line.slice(0, PROBLEM_MAX);
}
