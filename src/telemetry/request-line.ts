import { redactKeys } from '../domain/api-key.ts';

/** A path as it stands in a line: short, without API keys, and in quotes. */
export type LoggedPath = string & { readonly logged: unique symbol };

/** Longer than any path that is served, so that a stranger's paths do not fill the disk. */
const PATH_CHARACTERS_MAX = 256;

/**
 * Makes a path fit for a line. Only there a key can stand: the client chose it. Hiding comes after
 * cutting, so the beginning of a key that was cut is hidden too.
 */
export function loggedPathOf(path: string): LoggedPath {
  const isLong = path.length > PATH_CHARACTERS_MAX;
  const shown = isLong ? path.slice(0, PATH_CHARACTERS_MAX) : path;
  // The brand says that it went through here.
  return JSON.stringify(redactKeys(shown) + (isLong ? '…' : '')) as LoggedPath;
}

/** What is written of a request. Never a query, a header or a body: they may hold secrets. */
export interface RequestRecord {
  /** Holds no API key. */
  readonly requestId: string;
  readonly keyId: bigint | undefined;
  readonly operation: string | undefined;
  readonly method: string;
  readonly path: LoggedPath;
  readonly status: number;
  readonly milliseconds: number;
  /** Which share of requests like this one is written; absent where all are. */
  readonly sample?: number;
  /** Counted, but not written: there are too many of its kind, and they are told in sums. */
  readonly unlogged?: boolean | undefined;
}

/** The level `info`, as pino writes it. */
const INFO = 30;

/**
 * The line of a request, as pino would write it. There is one for every request and its members
 * are known, so it is put together by hand, of few pieces: 0.2 µs in place of 3.2. Ids, methods and
 * operations hold nothing that JSON would escape.
 */
export function requestLine(record: RequestRecord): string {
  const { requestId, path, status, milliseconds, sample } = record;
  return (
    beginningAt(Date.now()) +
    requestId +
    middleOf(record) +
    path +
    `,"status":${status},"ms":${millisecondsText(milliseconds)}` +
    (sample === undefined ? '}\n' : `,"sample":${sample}}\n`)
  );
}

/** Numbers with a fraction are slow to write down, and most requests take less than this. */
const MICROSECONDS_KEPT = 1_000;
const texts: string[] = [];

/** Milliseconds with at most three places after the point. */
function millisecondsText(milliseconds: number): string {
  const microseconds = Math.round(milliseconds * 1_000);
  if (microseconds >= MICROSECONDS_KEPT) return String(microseconds / 1_000);
  texts[microseconds] ??= String(microseconds / 1_000);
  return texts[microseconds];
}

let beginning = { time: Number.NaN, text: '' };

/** A line up to the request id. Many fall into one millisecond. */
function beginningAt(time: number): string {
  if (time !== beginning.time) {
    const text = `{"level":${INFO},"time":"${new Date(time).toISOString()}","requestId":"`;
    beginning = { time, text };
  }
  return beginning.text;
}

type Asked = Pick<RequestRecord, 'keyId' | 'operation' | 'method'>;

let middle: Asked & { readonly text: string } = {
  keyId: undefined,
  operation: undefined,
  method: '',
  text: '',
};

/** A line from there up to the path. Often the next request is by the same key for the same. */
function middleOf({ keyId, operation, method }: Asked): string {
  const { keyId: lastKey, operation: lastOperation, method: lastMethod } = middle;
  if (keyId !== lastKey || operation !== lastOperation || method !== lastMethod) {
    const ofKey = keyId === undefined ? '' : `,"keyId":"${keyId}"`;
    const ofOperation = operation === undefined ? '' : `,"operation":"${operation}"`;
    const text = `"${ofKey}${ofOperation},"method":"${method}","path":`;
    middle = { keyId, operation, method, text };
  }
  return middle.text;
}
