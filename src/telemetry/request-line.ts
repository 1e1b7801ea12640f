import { redactKeys } from '../domain/api-key.ts';

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
export type LineLevel = 'info' | 'warn' | 'error';

/** The first status of a failure of the service. */
export const FAULTS_FROM = 500;

/** Returns the level of a request: failures of the service are warnings. */
export function levelOf({ status }: RequestRecord): LineLevel {
  return status < FAULTS_FROM ? 'info' : 'warn';
}

/**
 * Returns the line of a request. Every request has one and its members are known, so it is put together:
 * 0.3 µs, where `JSON.stringify` takes 0.5. Ids, methods and operations contain nothing that JSON would escape.
 */
export function requestLine(level: LineLevel, record: RequestRecord): string {
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
