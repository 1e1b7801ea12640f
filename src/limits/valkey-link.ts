import { Redis } from 'ioredis';
import { SECOND_MS } from '../domain/clock.ts';
import { connectionOptions, shownAddress } from './engine-address.ts';

/** The log for losses and returns of the engine. */
export interface LinkLog {
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
}

interface LinkOptions {
  readonly address: string;
  /** If a reply takes longer, the engine counts as lost. */
  readonly boundMs: number;
  /** A call that an engine must pass before it is used. It writes, as requests do. */
  readonly probe: Call;
  readonly log: LinkLog;
}

/** The pause between a loss or a failed attempt and the next attempt. */
const RETRY_MS = 500;
/** If a timer fires later than this, this process was busy, and the engine may be fine. */
const LATE_MS = 10;
/** Bounds each step of an attempt: to connect, and to reply. */
const ATTEMPT_MS = SECOND_MS;
/** How long an engine that does not close its end of a connection is waited for. */
const CLOSING_MS = 50;

/**
 * Creates a client that connects when it is told to, again `retryMs` after a loss if that is given, and
 * tells every failure at once.
 */
export function createClient(address: string, attemptMs: number, retryMs?: number): Redis {
  const again = () => retryMs ?? null;
  return new Redis({
    ...connectionOptions(address),
    lazyConnect: true,
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    connectTimeout: attemptMs,
    commandTimeout: attemptMs,
    disconnectTimeout: CLOSING_MS,
    retryStrategy: again,
    sentinelRetryStrategy: again,
  });
}

/** A connection to Valkey or Redis on which no request waits longer than the bound. */
export class ValkeyLink {
  readonly #options: LinkOptions;
  readonly #shown: { readonly engine: string };
  readonly #client: Redis;
  /** Gives up the calls that wait for a reply. */
  readonly #waiting = new Set<() => void>();
  /** Settled once the first attempt has succeeded or failed. */
  readonly #tried = Promise.withResolvers<void>();
  /** True while the engine has passed the probe and was not lost since. */
  #isUsable = false;
  /** Why the last attempt failed. */
  #problem: string | undefined;
  #outages = 0;
  #lostAt = 0;

  private constructor(options: LinkOptions) {
    this.#options = options;
    this.#shown = { engine: shownAddress(options.address) };
    this.#client = createClient(options.address, ATTEMPT_MS, RETRY_MS);
    this.#client.on('error', (error: Error) => {
      this.#problem = problemOf(error).reason;
    });
    this.#client.on('ready', () => void this.#prove());
    this.#client.on('close', () => this.#lose(this.#problem ?? 'the connection was closed'));
  }

  /** Connects. If the engine cannot be reached, that counts as the first outage. */
  static async open(options: LinkOptions): Promise<ValkeyLink> {
    const link = new ValkeyLink(options);
    // Failures come as events.
    link.#client.connect().catch(() => undefined);
    await link.#tried.promise;
    return link;
  }

  get connected(): boolean {
    return this.#isUsable;
  }

  /** Number of times the engine was lost. */
  get outages(): number {
    return this.#outages;
  }

  /** Runs a script. Returns undefined, at once or after the bound, if the engine is lost. */
  run(call: Call): Promise<unknown> | undefined {
    if (!this.#isUsable) return undefined;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const giveUp = () => resolve(undefined);
    this.#waiting.add(giveUp);
    const stop = this.#expectWithin(this.#options.boundMs);
    runScript(this.#client, call)
      .then(resolve, (error: Error) => {
        this.#lose(error.message);
        giveUp();
      })
      .finally(() => {
        stop();
        this.#waiting.delete(giveUp);
      });
    return promise;
  }

  /** Counts the engine as lost after this time, unless the result is called before. */
  #expectWithin(ms: number): () => void {
    const due = performance.now() + ms;
    const outages = this.#outages;
    let stop = () => clearTimeout(timer);
    const timer = setTimeout(() => {
      // This process was busy, and replies may be in the socket already: one more turn.
      if (performance.now() - due > LATE_MS) stop = this.#expectWithin(LATE_MS);
      else if (outages === this.#outages)
        this.#lose(`no answer within ${this.#options.boundMs} ms`);
    }, ms);
    return () => stop();
  }

  /** Reads fields of a hash, without a bound. Throws if the engine is lost. */
  async read(key: string, fields: readonly string[]): Promise<readonly (string | null)[]> {
    if (!this.#isUsable) throw new Error('it cannot be reached');
    return await this.#client.hmget(key, ...fields);
  }

  close(): void {
    this.#isUsable = false;
    // The end of the connection is no loss.
    this.#client.removeAllListeners('close');
    this.#client.disconnect();
    this.#giveUpAll();
  }

  /** Gives the engine up. Several requests notice a loss, and so does the closed connection. */
  #lose(reason: string): void {
    if (this.#isUsable || this.#outages === 0) {
      this.#isUsable = false;
      this.#outages++;
      this.#lostAt = performance.now();
      const facts = { ...this.#shown, reason };
      this.#options.log.warn('shared limits are lost; this instance counts alone', facts);
    }
    this.#client.disconnect(true);
    this.#giveUpAll();
    this.#tried.resolve();
  }

  #giveUpAll(): void {
    for (const giveUp of this.#waiting) giveUp();
    this.#waiting.clear();
  }

  /** Uses the engine if it passes the probe. */
  async #prove(): Promise<void> {
    const { probe, boundMs } = this.#options;
    try {
      // The first call may load the script; the second takes as long as a request.
      await runScript(this.#client, probe);
      const before = performance.now();
      await runScript(this.#client, probe);
      const took = performance.now() - before;
      if (took > boundMs) throw new Error(`a reply took ${Math.round(took)} ms`);
    } catch (error) {
      return this.#lose(this.#problem ?? problemOf(error).reason);
    }
    this.#problem = undefined;
    this.#isUsable = true;
    this.#tried.resolve();
    if (this.#outages === 0) return;
    const seconds = Math.round((performance.now() - this.#lostAt) / SECOND_MS);
    const facts = { ...this.#shown, seconds };
    this.#options.log.info('limits are shared again; counts made meanwhile are dropped', facts);
  }
}

/** A script and its SHA-1 hash, by which the engine identifies it. */
interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** A call of a script on one hash. */
interface Call {
  readonly script: Script;
  readonly key: string;
  readonly args: readonly string[];
}

/** Creates a script from its text. */
export function scriptOf(text: string): Script {
  return { text, sha1: new Bun.CryptoHasher('sha1').update(text).digest('hex') };
}

/** Runs a script by its hash. Sends the text if the engine does not know it, as after a restart. */
async function runScript(client: Redis, call: Call): Promise<unknown> {
  const { script, key, args } = call;
  try {
    return await client.evalsha(script.sha1, 1, key, ...args);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return await client.eval(script.text, 1, key, ...args);
  }
}

/** What is wrong with an engine: nobody is there, it is silent, or it refuses us; `other` is no engine for us. */
export type EngineFault = 'nobody' | 'silent' | 'certificate' | 'password' | 'other';

/** By the code of an error or the beginning of its message. */
const FAULTS: readonly (readonly [EngineFault, RegExp])[] = [
  ['nobody', /^(?:ECONNREFUSED|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH)/],
  ['silent', /^(?:ETIMEDOUT|connect ETIMEDOUT|Command timed out)/],
  ['certificate', /CERT|SELF_SIGNED|UNABLE_TO_|ALTNAME|^certificate|self.signed/],
  ['password', /^(?:NOAUTH|WRONGPASS)/],
];

/** Returns what an error of the client says of the engine. */
export function problemOf(error: unknown): {
  readonly fault: EngineFault;
  readonly reason: string;
} {
  const message = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const found = FAULTS.find(([, pattern]) => pattern.test(code) || pattern.test(message));
  const fault = found?.[0] ?? 'other';
  const said = code === '' || message.includes(code) ? message : `${message} (${code})`;
  return {
    fault,
    reason: fault === 'certificate' ? `its certificate is not trusted: ${said}` : said,
  };
}
