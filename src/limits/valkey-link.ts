import { RedisClient } from 'bun';
import { SECOND_MS } from '../domain/clock.ts';
import { expectPrimary, isSentinelAddress, primaryAddress } from './sentinel.ts';
import { certificateProblem } from './valkey-endpoint.ts';

/** The log for losses and returns of the engine. */
export interface LinkLog {
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
}

export interface LinkOptions {
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
/** Bounds an attempt, from connecting to the last reply. */
const ATTEMPT_MS = SECOND_MS;

/** Returns an address without user and password, for messages. */
export function shownAddress(address: string): string {
  if (isSentinelAddress(address)) return address.replace(/\/\/.*@/s, '//');
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

/**
 * A connection to Valkey or Redis on which no request waits longer than the bound. The
 * client's own reconnecting is off: it waits longer with each attempt and gives up after twenty.
 */
export class ValkeyLink {
  readonly #options: LinkOptions;
  readonly #shown: { readonly engine: string };
  /** Gives up the calls that wait for a reply. */
  readonly #waiting = new Set<() => void>();
  /** Absent while the engine is lost. */
  #client: RedisClient | undefined;
  #attempted: RedisClient | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #outages = 0;
  #lostAt = 0;
  #closed = false;

  private constructor(options: LinkOptions) {
    this.#options = options;
    this.#shown = { engine: shownAddress(options.address) };
  }

  /** Connects. If the engine cannot be reached, that counts as the first outage. */
  static async open(options: LinkOptions): Promise<ValkeyLink> {
    const link = new ValkeyLink(options);
    await link.#attempt();
    return link;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  /** Number of times the engine was lost. */
  get outages(): number {
    return this.#outages;
  }

  /** Runs a script. Returns undefined, at once or after the bound, if the engine is lost. */
  run(call: Call): Promise<unknown> | undefined {
    const client = this.#client;
    if (client === undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const giveUp = () => resolve(undefined);
    this.#waiting.add(giveUp);
    const stop = this.#expectWithin(this.#options.boundMs, client);
    runScript(client, call)
      .then(resolve, (error: Error) => {
        this.#lose(client, error.message);
        giveUp();
      })
      .finally(() => {
        stop();
        this.#waiting.delete(giveUp);
      });
    return promise;
  }

  /** Counts the engine as lost after this time, unless the result is called before. */
  #expectWithin(ms: number, client: RedisClient): () => void {
    const due = performance.now() + ms;
    let stop = () => clearTimeout(timer);
    const timer = setTimeout(() => {
      // This process was busy, and replies may be in the socket already: one more turn.
      if (performance.now() - due > LATE_MS) stop = this.#expectWithin(LATE_MS, client);
      else this.#lose(client, `no answer within ${this.#options.boundMs} ms`);
    }, ms);
    return () => stop();
  }

  /** Sends a command and waits without a bound. Throws if the engine is lost. */
  async send(command: string, args: string[]): Promise<unknown> {
    if (this.#client === undefined) throw new Error('it cannot be reached');
    return this.#client.send(command, args);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#retry);
    const client = this.#client;
    this.#client = undefined;
    client?.close();
    this.#attempted?.close();
    this.#giveUpAll();
  }

  #lose(lost: RedisClient | undefined, reason: string): void {
    // Several requests notice a loss, and so does the closed connection.
    if (lost === undefined || lost !== this.#client) return;
    this.#client = undefined;
    lost.close();
    this.#noteLoss(reason);
    this.#tryLater();
    this.#giveUpAll();
  }

  #giveUpAll(): void {
    for (const giveUp of this.#waiting) giveUp();
    this.#waiting.clear();
  }

  #noteLoss(reason: string): void {
    this.#outages++;
    this.#lostAt = performance.now();
    const facts = { ...this.#shown, reason };
    this.#options.log.warn('shared limits are lost; this instance counts alone', facts);
  }

  #tryLater(): void {
    this.#retry = setTimeout(() => this.#attempt(), RETRY_MS);
  }

  async #attempt(): Promise<void> {
    const problem = await this.#connect();
    if (this.#closed || problem === undefined) return;
    if (this.#outages === 0) this.#noteLoss(problem);
    this.#tryLater();
  }

  /** Connects and starts using the engine if it passes the probe, else returns the problem. */
  async #connect(): Promise<string | undefined> {
    const { address } = this.#options;
    try {
      // Asked each time: the primary may have changed.
      return await this.#connectTo(
        isSentinelAddress(address) ? await primaryAddress(address) : address,
      );
    } catch (error) {
      return messageOf(error);
    }
  }

  async #connectTo(engine: string): Promise<string | undefined> {
    const client = new RedisClient(engine, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: ATTEMPT_MS,
    });
    this.#attempted = client;
    const timer = setTimeout(() => client.close(), ATTEMPT_MS);
    const problem = await this.#prove(client, engine);
    clearTimeout(timer);
    this.#attempted = undefined;
    if (problem !== undefined || this.#closed) client.close();
    else this.#take(client);
    return problem;
  }

  async #prove(client: RedisClient, engine: string): Promise<string | undefined> {
    const { address, probe, boundMs } = this.#options;
    try {
      await client.connect();
    } catch (error) {
      // The client only reports that the connection was closed.
      return (await certificateProblem(engine, ATTEMPT_MS)) ?? messageOf(error);
    }
    try {
      if (isSentinelAddress(address)) await expectPrimary(client);
      // The first call may load the script; the second takes as long as a request.
      await runScript(client, probe);
      const before = performance.now();
      await runScript(client, probe);
      const took = performance.now() - before;
      return took <= boundMs ? undefined : `a reply took ${Math.round(took)} ms`;
    } catch (error) {
      return messageOf(error);
    }
  }

  #take(client: RedisClient): void {
    this.#client = client;
    client.onclose = () => this.#lose(client, 'the connection was closed');
    if (this.#outages === 0) return;
    const seconds = Math.round((performance.now() - this.#lostAt) / SECOND_MS);
    const facts = { ...this.#shown, seconds };
    this.#options.log.info('limits are shared again; counts made meanwhile are dropped', facts);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
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
async function runScript(client: RedisClient, call: Call): Promise<unknown> {
  const { script, key, args } = call;
  try {
    return await client.send('EVALSHA', [script.sha1, '1', key, ...args]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return client.send('EVAL', [script.text, '1', key, ...args]);
  }
}
