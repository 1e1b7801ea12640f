import { hideKeyTexts } from '../domain/api-key.ts';

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

/** The level `info`, as pino writes it. */
const INFO = 30;

/**
 * The line of a request, as pino would write it. There is one for every request and its members
 * are known, so it is put together by hand, of few pieces: 0.2 µs in place of 3.2. Ids, methods and
 * operations hold nothing that JSON would escape; a key can only stand in what the client chose.
 */
export function requestLine(record: RequestRecord): string {
  const { requestId, path, status, milliseconds, sample } = record;
  return (
    beginningAt(Date.now()) +
    hideKeyTexts(requestId) +
    middleOf(record) +
    JSON.stringify(hideKeyTexts(path)) +
    `,"status":${status},"ms":${Math.round(milliseconds * 1_000) / 1_000}` +
    (sample === undefined ? '}\n' : `,"sample":${sample}}\n`)
  );
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
