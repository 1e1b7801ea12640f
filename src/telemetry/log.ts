import { redactKeys } from '../domain/api-key.ts';
import { SECOND_MS } from '../domain/clock.ts';
import { type Output, StandardOutput } from './output.ts';
import { createRedaction, type Redact } from './redaction.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
type LogLevel = (typeof LOG_LEVELS)[number];

/** A logged request. Never contains a query, a header or a body: they may contain secrets. */
export interface RequestRecord {
  /** Contains no API key. */
  readonly requestId: string;
  /** The trace of the caller, in hexadecimal; absent if it sent none. */
  readonly trace?: { readonly traceId: string; readonly spanId: string } | undefined;
  readonly keyId: bigint | undefined;
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: LoggedPath;
  readonly status: number;
  readonly milliseconds: number;
  /** Present if this refusal starts a ban of the key. */
  readonly setsBan?: true | undefined;
  /** The share of requests that is logged; absent if all are. */
  readonly sample?: number;
  /** Counted but not logged. */
  readonly unlogged?: boolean | undefined;
}

/** The levels of lines. */
type LineLevel = 'info' | 'warn' | 'error';

/** The first status of a failure of the service. */
export const FAULTS_FROM = 500;

/** The part of the log that the pipeline uses. */
export interface RequestLog {
  request(record: RequestRecord): void;
  /** Logs an internal error. */
  fault(requestId: string, error: unknown): void;
  /**
   * Logs why a request failed through no fault of the service, such as an unreachable database or a
   * full disk. At most one short line a second; each request also has its own line.
   */
  refusal(requestId: string, cause: unknown): void;
}

/** The log of a server: one JSON object a line. */
export interface Log extends RequestLog {
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
  error(message: string, error: unknown): void;
  /** Number of lines that were dropped because they could not be written. */
  dropped(): number;
  flush(): void;
  /** Writes the last lines. Returns within a second in any case. */
  end(): Promise<void>;
  /** Stops writing, for an exit that waits for nothing. */
  abandon(): void;
}

/** The interval at which queued lines are written. */
const FLUSH_MS = 1_000;
/** The loggable part of an error. Other properties may contain what clients sent. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Bounds the chain of causes, which may be circular. */
const CAUSES_MAX = 5;

function shortError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return { type: name, message, ...(code !== undefined && { code }) };
}

function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return shortError(error);
  const { stack, cause } = error;
  return {
    ...shortError(error),
    ...(stack !== undefined && { stack }),
    ...(cause !== undefined && depth < CAUSES_MAX && { cause: loggedError(cause, depth + 1) }),
  };
}

/** Returns what JSON shows of a value in a line. */
function loggedValue(name: string, value: unknown): unknown {
  if (name === 'err' || value instanceof Error) return loggedError(value);
  return typeof value === 'bigint' ? String(value) : value;
}

/** Where a log goes. Its lines may come together. */
type Destination = Pick<Output, 'write'> & Partial<Output>;

/**
 * Opens the log on standard output, or on `destination`. `redact` removes from each line
 * what must not be logged.
 */
export function openLog(
  level: LogLevel,
  destination?: Destination,
  redact: Redact = createRedaction({ fields: [], texts: [] }),
): Log {
  let dropped = 0;
  const output: Output = destination
    ? { flush() {}, async end() {}, abandon() {}, ...destination }
    : new StandardOutput((lines) => {
        dropped += lines;
      });
  setInterval(() => output.flush(), FLUSH_MS).unref();
  const taken: ReadonlySet<string> = new Set(LOG_LEVELS.slice(LOG_LEVELS.indexOf(level)));

  function write(of: LineLevel, facts: object, msg: string): void {
    if (!taken.has(of)) return;
    const line = { level: of, time: new Date().toISOString(), ...facts, msg };
    output.write(redact(`${JSON.stringify(line, loggedValue)}\n`));
  }

  return {
    request(record) {
      // Failures of the service are warnings.
      const of = record.status < FAULTS_FROM ? 'info' : 'warn';
      if (record.unlogged !== true && taken.has(of)) output.write(requestLine(of, record));
    },
    refusal: onceASecond((suppressed, requestId: string, cause: unknown) => {
      const others = suppressed === 0 ? {} : { others: suppressed };
      write('error', { requestId, cause: shortError(cause), ...others }, 'request failed');
    }),
    fault: (requestId, error) => write('error', { requestId, err: error }, 'request failed'),
    info: (message, facts = {}) => write('info', facts, message),
    warn: (message, facts = {}) => write('warn', facts, message),
    error: (message, error) => write('error', { err: error }, message),
    dropped: () => dropped,
    flush: () => output.flush(),
    end: () => output.end(),
    abandon: () => output.abandon(),
  };
}

/**
 * Returns a log that writes each request with the probability `share` and adds it to the line, so
 * that counts can be scaled. A request that failed through our fault is always logged, and so are those
 * that `isAlwaysLogged` names.
 */
export function sampleRequests(
  log: RequestLog,
  share: number,
  isAlwaysLogged: (record: RequestRecord) => boolean,
  random = Math.random,
): RequestLog {
  if (share === 1) return log;
  return {
    fault: log.fault,
    refusal: log.refusal,
    request(record) {
      if (record.status >= FAULTS_FROM || isAlwaysLogged(record)) log.request(record);
      else if (random() < share) log.request({ ...record, sample: share });
    },
  };
}

/**
 * Lets one call a second through, with the number of calls held back since the last one. For events
 * that may occur on every request while something is broken, such as a full disk.
 */
export function onceASecond<A extends readonly unknown[]>(
  call: (suppressed: number, ...given: A) => void,
  now: () => number = () => performance.now(),
): (...given: A) => void {
  let lastAt = Number.NEGATIVE_INFINITY;
  let suppressed = 0;
  return (...given) => {
    const at = now();
    if (at - lastAt < SECOND_MS) {
      suppressed++;
      return;
    }
    const before = suppressed;
    lastAt = at;
    suppressed = 0;
    call(before, ...given);
  };
}

/** A path as it is logged: short, without API keys, and in quotes. */
export type LoggedPath = string & { readonly logged: unique symbol };

/** Longer than any served path, and short enough that a stranger's paths do not fill the disk. */
const PATH_CHARACTERS_MAX = 256;

/** Text that JSON writes as it is: printable ASCII without quotes and backslashes. */
const PLAIN = /^[ !#-[\]-~]*$/;

/**
 * Prepares a path for the log. It is the only part of a line that a client chooses, so only it can
 * contain a key. It is redacted after it is cut, so that the start of a cut key is redacted too.
 */
export function loggedPathOf(path: string): LoggedPath {
  const isLong = path.length > PATH_CHARACTERS_MAX;
  const shown = isLong ? path.slice(0, PATH_CHARACTERS_MAX) : path;
  const text = redactKeys(shown) + (isLong ? '…' : '');
  // The brand marks a path that passed this function.
  return (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text)) as LoggedPath;
}

/**
 * Returns the line of a request. Every request has one and its members are known, so it is put together:
 * 0.3 µs, where `JSON.stringify` takes 0.5. Ids, methods and operations contain nothing that JSON would escape.
 */
function requestLine(level: LineLevel, record: RequestRecord): string {
  const {
    requestId,
    trace,
    keyId,
    operation,
    method,
    path,
    status,
    milliseconds,
    setsBan,
    sample,
  } = record;
  return (
    `{"level":"${level}","time":"${new Date().toISOString()}","requestId":"${requestId}"` +
    (trace === undefined ? '' : `,"traceId":"${trace.traceId}","spanId":"${trace.spanId}"`) +
    (keyId === undefined ? '' : `,"keyId":"${keyId}"`) +
    (operation === undefined ? '' : `,"operation":"${operation}"`) +
    `,"method":"${method}","path":${path},"status":${status},"ms":${Math.round(milliseconds * 1_000) / 1_000}` +
    (setsBan === undefined ? '' : ',"setsBan":true') +
    (sample === undefined ? '}\n' : `,"sample":${sample}}\n`)
  );
}
