import { connect } from 'node:net';

/** The same request for every contender. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A response as received. */
export interface WireResponse {
  readonly status: number;
  /** In order, names as received. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** The size of status line, headers and body. */
  readonly bytes: number;
}

const TIMEOUT_MS = 5_000;
const LINE_END = '\r\n';

/** Sends one request over its own keep-alive connection, like those of the load. */
export function sendRequest(origin: string, request: WireRequest): Promise<WireResponse> {
  const { hostname, port, host } = new URL(origin);
  const length = Buffer.byteLength(request.body);
  const headers = { host, ...request.headers, ...(length > 0 && { 'content-length': length }) };
  const head = [
    `${request.method} ${request.path} HTTP/1.1`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`${origin} does not respond`)));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${origin} closed the connection`)));
    socket.on('data', (chunk) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      received = Buffer.concat([received, bytes]);
      try {
        const response = parseResponse(received);
        if (response === undefined) return;
        resolve(response);
        socket.destroy();
      } catch (error) {
        socket.destroy(new Error(`${origin}: ${error}`));
      }
    });
    socket.write([...head, '', request.body].join(LINE_END));
  });
}

/** Returns undefined until the response is complete. Throws if its length cannot be determined. */
export function parseResponse(received: Buffer): WireResponse | undefined {
  const headEnd = received.indexOf(`${LINE_END}${LINE_END}`);
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split(LINE_END);
  const headers = lines.map((line) => {
    const colonAt = line.indexOf(':');
    return [line.slice(0, colonAt), line.slice(colonAt + 1).trim()] as const;
  });
  const headerValue = (wanted: string) =>
    headers.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const bodyAt = headEnd + 2 * LINE_END.length;
  const read =
    headerValue('transfer-encoding')?.toLowerCase() === 'chunked'
      ? readChunks(received, bodyAt)
      : readLength(received, bodyAt, Number(headerValue('content-length')));
  if (read === undefined) return undefined;
  const { body, end } = read;
  return { status: Number(statusLine.split(' ')[1]), headers, body: body.toString(), bytes: end };
}

/** Returns the body and its end in the received bytes; undefined until it is complete. */
type ReadBody = { readonly body: Buffer; readonly end: number } | undefined;

function readLength(received: Buffer, start: number, length: number): ReadBody {
  if (!Number.isSafeInteger(length)) throw new Error('a response does not declare its length');
  const end = start + length;
  return received.length < end ? undefined : { body: received.subarray(start, end), end };
}

/** RFC 9112, section 7.1: chunks until an empty one. No contender sends trailers. */
function readChunks(received: Buffer, start: number): ReadBody {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = received.indexOf(LINE_END, at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(length)) throw new Error('a response has a chunk without a size');
    const begin = lineEnd + LINE_END.length;
    at = begin + length + LINE_END.length;
    if (received.length < at) return undefined;
    if (length === 0) return { body: Buffer.concat(chunks), end: at };
    chunks.push(received.subarray(begin, begin + length));
  }
}
