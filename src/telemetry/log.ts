import type { Logger } from 'pino';
import { onceASecond } from './once-a-second.ts';
import { type Output, openOutput } from './output.ts';
import { loadPino } from './pino.ts';
import { createRedaction, type Redact } from './redaction.ts';
import { type RequestRecord, requestLine } from './request-line.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

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
  /** Writes whole lines that another thread has made. */
  writeLines(lines: Uint8Array): void;
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

/** Where a log goes. Its lines may come together. */
export type Destination = Pick<Output, 'write'> & Partial<Output>;

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
    ? {
        ...{ flush() {}, async end() {}, abandon() {} },
        writeBytes: (bytes) => void destination.write(Buffer.from(bytes).toString()),
        ...destination,
      }
    : openOutput((lines) => {
        dropped += lines;
      });
  const { flush, end, abandon } = output;
  setInterval(flush, FLUSH_MS).unref();
  const takesRequests = LOG_LEVELS.indexOf(level) <= LOG_LEVELS.indexOf('info');
  let opened: Logger | undefined;
  const logger = () => (opened ??= openLogger(level, output, redact));

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
    writeLines: output.writeBytes,
    dropped: () => dropped,
    ...{ flush, end, abandon },
  };
}

function openLogger(level: LogLevel, output: Output, redact: Redact): Logger {
  const pino = loadPino();
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: (error: unknown) => loggedError(error) },
    hooks: { streamWrite: redact },
  };
  return pino(options, output);
}
