import { connect } from 'node:net';

/** A response as it was on the wire. */
export interface RawResponse {
  readonly statusLine: string;
  readonly status: number;
  /** By lower-case name; repeated headers are joined with commas. */
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** A connection that sends raw bytes, for requests that `fetch` cannot send. */
export interface RawConnection extends Disposable {
  write(data: string | Uint8Array): void;
  /**
   * The next response, or undefined if the server closed the connection. Set `bodyless`
   * for the response to HEAD, which has a length but no body.
   */
  response(bodyless?: boolean): Promise<RawResponse | undefined>;
  /** Resolves when the server has closed the connection. */
  readonly closed: Promise<void>;
}

/** Longer than any response may take; a test that waits in vain fails with this. */
const PATIENCE_MS = 15_000;
const HEAD_END = '\r\n\r\n';

/** Texts are written as Latin-1, one byte for each character. */
export function openRawConnection(port: number): RawConnection {
  const socket = connect(port, '127.0.0.1');
  const { promise: closed, resolve: onClosed } = Promise.withResolvers<void>();
  let received = Buffer.alloc(0);
  let open = true;
  let wake = () => {};

  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  // A server may also close with a reset.
  socket.on('error', () => {});
  socket.on('close', () => {
    open = false;
    onClosed();
    wake();
  });

  async function response(bodyless = false): Promise<RawResponse | undefined> {
    const end = performance.now() + PATIENCE_MS;
    for (;;) {
      const parsed = takeResponse(received, bodyless);
      if (parsed !== undefined) {
        received = received.subarray(parsed.length);
        return parsed.response;
      }
      if (!open) return undefined;
      const left = end - performance.now();
      if (left <= 0) throw new Error(`no whole response in ${PATIENCE_MS} ms: ${received}`);
      const { promise, resolve } = Promise.withResolvers<void>();
      wake = resolve;
      const timer = setTimeout(resolve, left);
      await promise;
      clearTimeout(timer);
    }
  }

  return {
    write: (data) => socket.write(typeof data === 'string' ? Buffer.from(data, 'latin1') : data),
    response,
    closed,
    [Symbol.dispose]: () => socket.destroy(),
  };
}

/** Sends bytes on a new connection and returns the first response, if any. */
export async function sendRaw(
  port: number,
  data: string | Uint8Array,
): Promise<RawResponse | undefined> {
  using connection = openRawConnection(port);
  connection.write(data);
  return await connection.response(typeof data === 'string' && data.startsWith('HEAD '));
}

/** The text of a request with these headers and no body. */
export function requestText(line: string, ...headers: readonly string[]): string {
  return `${[`${line} HTTP/1.1`, ...headers].join('\r\n')}${HEAD_END}`;
}

function takeResponse(
  bytes: Buffer,
  bodyless: boolean,
): { response: RawResponse; length: number } | undefined {
  const headEnd = bytes.indexOf(HEAD_END);
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    const before = headers.get(name);
    headers.set(name, before === undefined ? value : `${before}, ${value}`);
  }
  const status = Number(statusLine.split(' ')[1]);
  const bodyStart = headEnd + HEAD_END.length;
  const none = bodyless || status === 204 || status === 304;
  const length = bodyStart + (none ? 0 : Number(headers.get('content-length') ?? 0));
  if (bytes.length < length) return undefined;
  return {
    response: { statusLine, status, headers, body: bytes.toString('utf8', bodyStart, length) },
    length,
  };
}
