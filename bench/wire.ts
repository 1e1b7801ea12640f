import { connect } from 'node:net';

/** A request as every contender gets it. */
export interface WireRequest {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** An answer as it came over the wire. */
export interface WireAnswer {
  readonly status: number;
  /** In their order, names as written. */
  readonly fields: readonly (readonly [name: string, value: string])[];
  readonly body: string;
  /** Status line, fields and body. */
  readonly bytes: number;
}

const TIMEOUT_MS = 5_000;
const LINE_END = '\r\n';

/** Asks once over a connection of its own that stays open, as those of the load do. */
export function askRaw(origin: string, request: WireRequest): Promise<WireAnswer> {
  const { hostname, port, host } = new URL(origin);
  const length = Buffer.byteLength(request.body);
  const fields = { host, ...request.headers, ...(length > 0 && { 'content-length': length }) };
  const head = [
    `${request.method} ${request.path} HTTP/1.1`,
    ...Object.entries(fields).map(([name, value]) => `${name}: ${value}`),
  ];
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname);
    let received = Buffer.alloc(0);
    socket.setTimeout(TIMEOUT_MS, () => socket.destroy(new Error(`${origin} does not answer`)));
    socket.on('error', reject);
    socket.on('close', () => reject(new Error(`${origin} closed the connection`)));
    socket.on('data', (chunk) => {
      const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
      received = Buffer.concat([received, bytes]);
      try {
        const response = parseAnswer(received);
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

/** Undefined until all of it is there. Throws where its end cannot be told. */
export function parseAnswer(received: Buffer): WireAnswer | undefined {
  const headEnd = received.indexOf(`${LINE_END}${LINE_END}`);
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split(LINE_END);
  const fields = lines.map((line) => {
    const colonAt = line.indexOf(':');
    return [line.slice(0, colonAt), line.slice(colonAt + 1).trim()] as const;
  });
  const field = (wanted: string) => fields.find(([name]) => name.toLowerCase() === wanted)?.[1];
  const bodyAt = headEnd + 2 * LINE_END.length;
  const read =
    field('transfer-encoding')?.toLowerCase() === 'chunked'
      ? readChunks(received, bodyAt)
      : readLength(received, bodyAt, Number(field('content-length')));
  if (read === undefined) return undefined;
  const { body, end } = read;
  return { status: Number(statusLine.split(' ')[1]), fields, body: body.toString(), bytes: end };
}

/** A body and where it ends in what was received; undefined until all of it is there. */
type ReadBody = { readonly body: Buffer; readonly end: number } | undefined;

function readLength(received: Buffer, start: number, length: number): ReadBody {
  if (!Number.isSafeInteger(length)) throw new Error('an answer does not say how long it is');
  const end = start + length;
  return received.length < end ? undefined : { body: received.subarray(start, end), end };
}

/** RFC 9112, section 7.1: chunks until one of no bytes. None of ours has trailers after it. */
function readChunks(received: Buffer, start: number): ReadBody {
  const chunks: Buffer[] = [];
  for (let at = start; ; ) {
    const lineEnd = received.indexOf(LINE_END, at);
    if (lineEnd < 0) return undefined;
    const length = Number.parseInt(received.toString('latin1', at, lineEnd), 16);
    if (Number.isNaN(length)) throw new Error('an answer has a chunk without a size');
    const begin = lineEnd + LINE_END.length;
    at = begin + length + LINE_END.length;
    if (received.length < at) return undefined;
    if (length === 0) return { body: Buffer.concat(chunks), end: at };
    chunks.push(received.subarray(begin, begin + length));
  }
}
