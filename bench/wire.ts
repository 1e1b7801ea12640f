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
      const answer = parseAnswer(received);
      if (answer === undefined) return;
      resolve(answer);
      socket.destroy();
    });
    socket.write(`${head.join('\r\n')}\r\n\r\n${request.body}`);
  });
}

/** Undefined until all of it is there. The body's length must be declared. */
function parseAnswer(received: Buffer): WireAnswer | undefined {
  const headEnd = received.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [statusLine = '', ...lines] = received.toString('latin1', 0, headEnd).split('\r\n');
  const fields = lines.map((line) => {
    const colonAt = line.indexOf(':');
    return [line.slice(0, colonAt), line.slice(colonAt + 1).trim()] as const;
  });
  const length = fields.find(([name]) => name.toLowerCase() === 'content-length')?.[1];
  const bytes = headEnd + 4 + Number(length);
  if (received.length < bytes) return undefined;
  const body = received.toString('utf8', headEnd + 4, bytes);
  return { status: Number(statusLine.split(' ')[1]), fields, body, bytes };
}
