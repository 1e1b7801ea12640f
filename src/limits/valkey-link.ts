import { RedisClient } from 'bun';
import { SECOND_MS } from '../domain/clock.ts';

/** A script, with the hash that the engine knows it by. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** Says in the log what happens to the engine. */
export interface LinkLog {
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
}

/** One use of a script on one hash. */
export interface Call {
  readonly script: Script;
  readonly key: string;
  readonly args: readonly string[];
}

export interface LinkOptions {
  /** The longest that an answer may take before the engine counts as lost. */
  readonly boundMs: number;
  /** What an engine must do before it counts as there: a call that writes, as requests do. */
  readonly probe: Call;
  readonly log: LinkLog;
}

/** A connection to Valkey or Redis that never keeps a request waiting for longer than the bound. */
export interface Link {
  /** The answer of a script; undefined, at once or after the bound, where the engine is lost. */
  run(call: Call): Promise<unknown> | undefined;
  /** The answer of a command, however long it takes. Throws where the engine is lost. */
  send(command: string, args: string[]): Promise<unknown>;
  readonly connected: boolean;
  /** How often the engine was lost. */
  readonly outages: number;
  close(): void;
}

/** How long after a loss, and after each attempt that failed, the engine is tried again. */
const RETRY_MS = 500;
/** How long an attempt may take, from the connection to the last answer. */
const ATTEMPT_MS = SECOND_MS;
/** A timer that fires so much too late says that this process was busy, not the engine. */
const LATE_MS = 10;

interface Waiting {
  readonly since: number;
  /** Goes on without an answer. */
  giveUp(): void;
}

/** Makes a script. */
export function scriptOf(text: string): Script {
  return { text, sha1: new Bun.CryptoHasher('sha1').update(text).digest('hex') };
}

/** An address as it may be shown: without user and password. */
export function shownAddress(address: string): string {
  const { protocol, host } = new URL(address);
  return `${protocol}//${host}`;
}

/**
 * Connects to the engine at an address; one that is not there is an outage from the start. The
 * client's own reconnecting is off: it waits longer with each attempt and gives up after twenty.
 */
export async function openLink(address: string, options: LinkOptions): Promise<Link> {
  const { boundMs, probe, log } = options;
  const shown = { engine: shownAddress(address) };
  let client: RedisClient | undefined;
  let outages = 0;
  let lostAt = 0;
  let closed = false;
  let retry: ReturnType<typeof setTimeout> | undefined;
  const deadlines = createDeadlines(boundMs, () => {
    if (client !== undefined) lose(client, `no answer within ${boundMs} ms`);
  });

  function lose(lost: RedisClient, reason: string): void {
    if (client !== lost) return;
    client = undefined;
    lost.close();
    noteLoss(reason);
    retry = setTimeout(attempt, RETRY_MS);
    deadlines.giveUpAll();
  }

  function noteLoss(reason: string): void {
    outages++;
    lostAt = performance.now();
    log.warn('shared limits are lost; this instance counts alone', { ...shown, reason });
  }

  async function attempt(): Promise<void> {
    const fresh = await connect(address, probe, boundMs);
    if (closed) return fresh instanceof Error ? undefined : fresh.close();
    if (fresh instanceof Error) {
      if (outages === 0) noteLoss(fresh.message);
      retry = setTimeout(attempt, RETRY_MS);
      return;
    }
    client = fresh;
    fresh.onclose = () => lose(fresh, 'the connection was closed');
    if (outages === 0) return;
    const seconds = Math.round((performance.now() - lostAt) / SECOND_MS);
    log.info('limits are shared again; counts made meanwhile are dropped', { ...shown, seconds });
  }

  function run(call: Call): Promise<unknown> | undefined {
    const current = client;
    if (current === undefined) return undefined;
    const { promise, resolve } = Promise.withResolvers<unknown>();
    const done = deadlines.start(() => resolve(undefined));
    runScript(current, call).then(
      (reply) => {
        done();
        resolve(reply);
      },
      (error: Error) => {
        done();
        resolve(undefined);
        lose(current, error.message);
      },
    );
    return promise;
  }

  await attempt();
  return {
    run,
    async send(command, args) {
      if (client === undefined) throw new Error('it cannot be reached');
      return client.send(command, args);
    },
    get connected() {
      return client !== undefined;
    },
    get outages() {
      return outages;
    },
    close() {
      closed = true;
      clearTimeout(retry);
      const last = client;
      client = undefined;
      last?.close();
      deadlines.giveUpAll();
    },
  };
}

/** A client that has proved itself, or why there is none. */
async function connect(
  address: string,
  probe: Call,
  boundMs: number,
): Promise<RedisClient | Error> {
  const client = new RedisClient(address, {
    autoReconnect: false,
    enableOfflineQueue: false,
    connectionTimeout: ATTEMPT_MS,
  });
  const timer = setTimeout(() => client.close(), ATTEMPT_MS);
  try {
    await client.connect();
    // The first call may have to load the script; the second takes what a request takes.
    await runScript(client, probe);
    const before = performance.now();
    await runScript(client, probe);
    const took = performance.now() - before;
    if (took <= boundMs) return client;
    client.close();
    return new Error(`an answer took ${Math.round(took)} ms`);
  } catch (error) {
    client.close();
    return error instanceof Error ? error : new Error(String(error));
  } finally {
    clearTimeout(timer);
  }
}

/** Runs a script by its hash; an engine that does not know it (a restart) is sent the text. */
async function runScript(client: RedisClient, { script, key, args }: Call): Promise<unknown> {
  try {
    return await client.send('EVALSHA', [script.sha1, '1', key, ...args]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return client.send('EVAL', [script.text, '1', key, ...args]);
  }
}

/** Watches over calls under way with one timer for all of them: they begin in order. */
function createDeadlines(boundMs: number, onMissed: () => void) {
  const waiting = new Set<Waiting>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let due = 0;

  function arm(ms: number): void {
    due = performance.now() + ms;
    timer = setTimeout(check, ms);
  }

  function check(): void {
    timer = undefined;
    const [oldest] = waiting;
    if (oldest === undefined) return;
    const now = performance.now();
    const left = oldest.since + boundMs - now;
    // Answers may lie in the socket already: they get one more turn.
    if (now - due > LATE_MS) arm(LATE_MS);
    else if (left > 0) arm(left);
    else onMissed();
  }

  return {
    /** Begins a call; gives what ends it. */
    start(giveUp: () => void): () => void {
      const own: Waiting = { since: performance.now(), giveUp };
      waiting.add(own);
      if (timer === undefined) arm(boundMs);
      return () => waiting.delete(own);
    },
    giveUpAll(): void {
      clearTimeout(timer);
      timer = undefined;
      for (const { giveUp } of waiting) giveUp();
      waiting.clear();
    },
  };
}
