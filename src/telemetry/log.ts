import { type DestinationStream, pino } from 'pino';
import { hideKeyTexts } from '../domain/api-key.ts';
import { createHiding, type Hiding } from './hiding.ts';

export const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'silent'] as const;
export type LogLevel = (typeof LOG_LEVELS)[number];

/** What is written of a request. Never a query, a header or a body: they may hold secrets. */
export interface RequestRecord {
  readonly requestId: string;
  readonly keyId: bigint | undefined;
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly milliseconds: number;
  /** Which share of requests like this one is written; absent where all are. */
  readonly sample?: number;
  /** Counted, but not written: there are too many of its kind, and they are told in sums. */
  readonly unlogged?: boolean | undefined;
}

/** What the pipeline writes. */
export interface RequestLog {
  request(record: RequestRecord): void;
  /** What went wrong inside while a request was served. */
  fault(requestId: string, error: unknown): void;
}

/** The log of a server: one JSON object a line. */
export interface Log extends RequestLog {
  info(message: string, facts?: object): void;
  warn(message: string, facts?: object): void;
  error(message: string, error: unknown): void;
  /** How many lines could not be written, and were dropped. */
  dropped(): number;
  flush(): void;
}

/** Lines are gathered to so many characters, */
const GATHERED_CHARACTERS = 32_768;
/**
 * and written when more bytes wait than those can have, or every second: a line must not cost a
 * system call.
 */
const WRITE_BYTES = 4 * GATHERED_CHARACTERS;
const FLUSH_MS = 1_000;
/** Where nobody takes the output any more, lines beyond so many bytes are dropped. */
const WAITING_BYTES_MAX = 64 * 1_048_576;

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

function loggedError(error: unknown, depth = 0): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: String(error) };
  const { name, message, stack, cause } = error;
  const code = 'code' in error && typeof error.code === 'string' ? error.code : undefined;
  return {
    type: name,
    message,
    ...(code !== undefined && { code }),
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
  destination?: DestinationStream,
  hide: Hiding = createHiding({ fields: [], texts: [] }),
): Log {
  let dropped = 0;
  const stream =
    destination ??
    openOutput((lines) => {
      dropped += lines;
    });
  const logger = pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: (error: unknown) => loggedError(error) },
      hooks: { streamWrite: hide },
    },
    stream,
  );
  const flush = () => logger.flush();
  setInterval(flush, FLUSH_MS).unref();

  return {
    request(record) {
      if (record.unlogged !== true && logger.isLevelEnabled('info')) {
        stream.write(requestLine(record));
      }
    },
    fault: (requestId, error) => logger.error({ requestId, err: error }, 'request failed'),
    info: (message, facts = {}) => logger.info(facts, message),
    warn: (message, facts = {}) => logger.warn(facts, message),
    error: (message, error) => logger.error({ err: error }, message),
    dropped: () => dropped,
    flush,
  };
}

/** A destination that gathers lines until it is told to write them. */
interface Output extends DestinationStream {
  flush(): void;
}

/**
 * Standard output, whose memory stays bounded even where what reads it has stopped. Lines are
 * handed on many at a time: the stream looks at each text's bytes twice, 1 µs for a line alone.
 */
function openOutput(onDrop: (lines: number) => void): Output {
  let lines = '';
  // Before the stream adds its own listener, which ends it.
  process.on('beforeExit', handOn);
  const output = pino.destination({
    fd: 1,
    sync: false,
    minLength: WRITE_BYTES,
    maxWrite: 2 * WRITE_BYTES,
    maxLength: WAITING_BYTES_MAX,
  });
  output.on('drop', (text: string) => onDrop(text.split('\n').length - 1));
  process.on('exit', () => {
    if (lines === '') return;
    // What waits goes first; then the rest is too short to begin a write that nobody waits for.
    output.flushSync();
    handOn();
    output.flushSync();
  });

  function handOn(): void {
    if (lines === '') return;
    output.write(lines);
    lines = '';
  }

  function flush(): void {
    handOn();
    output.flush();
  }

  return {
    flush,
    write(line) {
      lines += line;
      if (lines.length >= GATHERED_CHARACTERS) handOn();
    },
  };
}

const INFO = pino.levels.values['info'];

/**
 * The line of a request, as pino would write it. There is one for every request and its members
 * are known, so it is put together by hand: 0.3 µs in place of 3.2. Ids, methods and operations
 * hold nothing that JSON would escape; a key can only stand in what the client chose.
 */
function requestLine(record: RequestRecord): string {
  const { requestId, keyId, operation, method, path, status, milliseconds, sample } = record;
  return (
    `{"level":${INFO},"time":"${timeText(Date.now())}","requestId":"${hideKeyTexts(requestId)}"` +
    (keyId === undefined ? '' : `,"keyId":"${keyId}"`) +
    (operation === undefined ? '' : `,"operation":"${operation}"`) +
    `,"method":"${method}","path":${JSON.stringify(hideKeyTexts(path))},"status":${status}` +
    `,"ms":${Math.round(milliseconds * 1_000) / 1_000}` +
    (sample === undefined ? '}\n' : `,"sample":${sample}}\n`)
  );
}

let lastTime = Number.NaN;
let lastText = '';

/** A time as RFC 3339 has it. Many requests fall into one millisecond, and a text costs 0.3 µs. */
function timeText(now: number): string {
  if (now !== lastTime) {
    lastTime = now;
    lastText = new Date(now).toISOString();
  }
  return lastText;
}
