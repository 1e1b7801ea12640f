import { RedisClient } from 'bun';
import { SECOND_MS } from '../domain/clock.ts';
import { createDeadlines } from './deadlines.ts';
import { certificateProblem } from './valkey-certificate.ts';
import { type Call, runScript } from './valkey-script.ts';

/** Says in the log what happens to the engine. */
export interface LinkLog {
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
}

export interface LinkOptions {
  readonly address: string;
  /** The longest that an answer may take before the engine counts as lost. */
  readonly boundMs: number;
  /** What an engine must do before it counts as there: a call that writes, as requests do. */
  readonly probe: Call;
  readonly log: LinkLog;
}

/** How long after a loss, and after each attempt that failed, the engine is tried again. */
const RETRY_MS = 500;
/** How long an attempt may take, from the connection to the last answer. */
const ATTEMPT_MS = SECOND_MS;

/** An address as it may be shown: without user and password. */
export function shownAddress(address: string): string {
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

/**
 * A connection to Valkey or Redis that keeps no request waiting for longer than the bound. The
 * client's own reconnecting is off: it waits longer with each attempt and gives up after twenty.
 */
export class ValkeyLink {
  readonly #options: LinkOptions;
  readonly #shown: { readonly engine: string };
  readonly #deadlines;
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
    this.#deadlines = createDeadlines(options.boundMs, () =>
      this.#lose(this.#client, `no answer within ${options.boundMs} ms`),
    );
  }

  /** Connects; an engine that is not there is an outage from the start. */
  static async open(options: LinkOptions): Promise<ValkeyLink> {
    const link = new ValkeyLink(options);
    await link.#attempt();
    return link;
  }

  get connected(): boolean {
    return this.#client !== undefined;
  }

  /** How often the engine was lost. */
  get outages(): number {
    return this.#outages;
  }

  /** The answer of a script; undefined, at once or after the bound, where the engine is lost. */
  run(call: Call): Promise<unknown> | undefined {
    const client = this.#client;
    if (client === undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const end = this.#deadlines.start(() => resolve(undefined));
    runScript(client, call).then(
      (reply) => {
        end();
        resolve(reply);
      },
      (error: Error) => {
        this.#lose(client, error.message);
        end();
        resolve(undefined);
      },
    );
    return promise;
  }

  /** The answer of a command, however long it takes. Throws where the engine is lost. */
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
    this.#deadlines.giveUpAll();
  }

  #lose(lost: RedisClient | undefined, reason: string): void {
    // Several requests find out, and the closing of the connection says it once more.
    if (lost === undefined || lost !== this.#client) return;
    this.#client = undefined;
    lost.close();
    this.#noteLoss(reason);
    this.#tryLater();
    this.#deadlines.giveUpAll();
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

  /** Takes an engine into use that has proved itself, or says what is wrong with it. */
  async #connect(): Promise<string | undefined> {
    const client = new RedisClient(this.#options.address, {
      autoReconnect: false,
      enableOfflineQueue: false,
      connectionTimeout: ATTEMPT_MS,
    });
    this.#attempted = client;
    const timer = setTimeout(() => client.close(), ATTEMPT_MS);
    const problem = await this.#prove(client);
    clearTimeout(timer);
    this.#attempted = undefined;
    if (problem !== undefined || this.#closed) client.close();
    else this.#take(client);
    return problem;
  }

  async #prove(client: RedisClient): Promise<string | undefined> {
    const { address, probe, boundMs } = this.#options;
    try {
      await client.connect();
    } catch (error) {
      // The client says no more than that the connection was closed.
      return (await certificateProblem(address, ATTEMPT_MS)) ?? messageOf(error);
    }
    try {
      // The first call may have to load the script; the second takes what a request takes.
      await runScript(client, probe);
      const before = performance.now();
      await runScript(client, probe);
      const took = performance.now() - before;
      return took <= boundMs ? undefined : `an answer took ${Math.round(took)} ms`;
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
