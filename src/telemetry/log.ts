import type { Logger } from 'pino';
import { onceASecond } from './once-a-second.ts';
import { type Output, openOutput } from './output.ts';
import { loadPino } from './pino.ts';
import { createRedaction, type Redact } from './redaction.ts';
import { type RequestRecord, requestLine } from './request-line.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What the pipeline writes. */
export interface RequestLog {
  request(record: RequestRecord): void;
  /** What went wrong inside while a request was served. */
  fault(requestId: string, error: unknown): void;
  /**
   * Why a request could not be served, where nothing of ours is at fault: a database that is away, a
   * disk that is full. One short line a second at most; each request has a line of its own besides.
   */
  refusal(requestId: string, cause: unknown): void;
}

/** The log of a server: one JSON object a line. */
export interface Log extends RequestLog {
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
  error(message: string, error: unknown): void;
  /** How many lines could not be written, and were dropped. */
  dropped(): number;
  flush(): void;
  /** Writes the last lines. Comes back within a second, whatever becomes of them. */
  end(): Promise<void>;
  /** Writes nothing more, for an end that waits for nothing. */
  abandon(): void;
}

/** How often lines that wait are written. */
const FLUSH_MS = 1_000;
/** What an error may say in the log. Whatever else it carries may hold what clients sent. */
interface LoggedError {
  readonly type: string;
  readonly message: string;
  readonly code?: string;
  readonly stack?: string;
  readonly cause?: LoggedError;
}

/** Errors of errors of errors are cut off: somebody made a circle. */
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

/**
 * Opens the log on standard output, or on `destination` where a test reads it. `hide` takes out of
 * each line what must not stand there.
 */
export function openLog(
  level: LogLevel,
  destination?: Pick<Output, 'write'>,
  hide: Redact = createRedaction({ fields: [], texts: [] }),
): Log {
  let dropped = 0;
  const output: Output = destination
    ? { write: (line) => destination.write(line), flush() {}, async end() {}, abandon() {} }
    : openOutput((lines) => {
        dropped += lines;
      });
  const { flush, end, abandon } = output;
  setInterval(flush, FLUSH_MS).unref();
  const takesRequests = LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf('info');
  let opened: Logger | undefined;
  const logger = () => (opened ??= openLogger(level, output, hide));

  return {
    request(record) {
      if (record.unlogged !== true && takesRequests) output.write(requestLine(record));
    },
    refusal: onceASecond((heldBack, requestId: string, cause: unknown) => {
      const others = heldBack === 0 ? {} : { others: heldBack };
      logger().error({ requestId, cause: shortError(cause), ...others }, 'request failed');
    }),
    fault: (requestId, error) => logger().error({ requestId, err: error }, 'request failed'),
    info: (message, facts = {}) => logger().info(facts, message),
    warn: (message, facts = {}) => logger().warn(facts, message),
    error: (message, error) => logger().error({ err: error }, message),
    dropped: () => dropped,
    ...{ flush, end, abandon },
  };
}

function openLogger(level: LogLevel, output: Output, hide: Redact): Logger {
  const pino = loadPino();
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => loggedError(error) },
    hooks: { streamWrite: hide },
  };
  return pino(options, output);
}
