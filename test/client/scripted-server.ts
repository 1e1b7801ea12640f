import type { Socket } from 'bun';

/** A request that a scripted server got. Times are in milliseconds from its start. */
export interface SeenRequest {
  readonly method: string;
  /** The path from `/v1`, with its query. */
  readonly target: string;
  readonly idempotencyKey?: string | undefined;
  readonly ifMatch?: string | undefined;
  readonly body: string;
  readonly arrived: number;
  /** When its response left, complete or not. */
  readonly responded: number;
}

/**
 * A server that answers as the path says: `/503:1,ok/RUN/v1/pets` first with 503 and
 * `Retry-After: 1`, then well, for ever. `GET /log/RUN` returns the requests of a run. It also
 * serves files, so that a page from it may send such requests.
 */
export interface ScriptedServer extends Disposable {
  readonly url: string;
}

const PET = '{"id":7,"name":"Willow","categoryId":3,"status":"available"}';
const HEADERS =
  'Connection: close\r\nContent-Type: application/json\r\nX-Request-Id: a-request\r\n';

interface Received {
  text: string;
}

/** Starts a server; `files` are served by their paths, with their types. */
export function startScriptedServer(
  files: ReadonlyMap<string, { readonly type: string; readonly text: string }> = new Map(),
): ScriptedServer {
  const runs = new Map<string, SeenRequest[]>();
  const listener = Bun.listen<Received>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(socket) {
        socket.data = { text: '' };
      },
      data(socket, bytes) {
        socket.data.text += bytes.toString('utf8');
        const request = parse(socket.data.text);
        if (request !== undefined) respond(socket, request);
      },
    },
  });

  function respond(socket: Socket<Received>, request: Parsed): void {
    const [, first = '', run = '', target = ''] =
      /^\/([^/]*)\/([^/]*)(.*)$/.exec(request.path) ?? [];
    const file = files.get(request.path);
    if (file !== undefined) {
      end(socket, 200, file.text, `Content-Type: ${file.type}\r\nConnection: close\r\n`);
      return;
    }
    if (first === 'log') {
      end(socket, 200, JSON.stringify(runs.get(run) ?? []), HEADERS);
      return;
    }
    const seen = runs.get(run) ?? [];
    runs.set(run, seen);
    const steps = decodeURIComponent(first).split(',');
    const step = steps[Math.min(seen.length, steps.length - 1)] ?? '';
    const arrived = performance.now();
    act(socket, step, request.method);
    seen.push({
      method: request.method,
      target,
      idempotencyKey: request.headers.get('idempotency-key'),
      ifMatch: request.headers.get('if-match'),
      body: request.body,
      arrived,
      responded: performance.now(),
    });
  }

  return {
    url: `http://127.0.0.1:${listener.port}`,
    [Symbol.dispose]: () => listener.stop(true),
  };
}

/** Does one step of a script: `ok`, a status with a code and seconds, or a fault of the connection. */
function act(socket: Socket<Received>, step: string, method: string): void {
  const body = method === 'GET' ? `[${PET}]` : PET;
  const [name = '', seconds] = step.split(':');
  const headers = seconds === undefined ? HEADERS : `${HEADERS}Retry-After: ${seconds}\r\n`;
  switch (name) {
    case 'nothing':
      break;
    case 'cut':
      socket.end();
      break;
    case 'half':
    case 'stall':
      socket.write(head(200, body.length, headers) + body.slice(0, body.length / 2));
      if (name === 'half') socket.end();
      break;
    case 'ok':
      end(socket, method === 'POST' ? 201 : 200, body, headers);
      break;
    case 'proxy':
      end(socket, 502, '<h1>Bad gateway</h1>', headers);
      break;
    default: {
      const [status = '', code = CODES[status]] = name.split('-');
      const error = { code, message: `This is ${step}.`, status: Number(status) };
      end(socket, Number(status), JSON.stringify(error), headers);
    }
  }
}

const CODES: Readonly<Record<string, string>> = {
  409: 'conflict',
  429: 'rate_limit_minute',
  500: 'internal_error',
  503: 'service_unavailable',
};

function end(socket: Socket<Received>, status: number, body: string, headers: string): void {
  socket.end(head(status, Buffer.byteLength(body), headers) + body);
}

function head(status: number, length: number, headers: string): string {
  return `HTTP/1.1 ${status} Scripted\r\nContent-Length: ${length}\r\n${headers}\r\n`;
}

interface Parsed {
  readonly method: string;
  readonly path: string;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
}

/** Parses a request; undefined until all of it has arrived. */
function parse(text: string): Parsed | undefined {
  const at = text.indexOf('\r\n\r\n');
  if (at < 0) return undefined;
  const [first = '', ...lines] = text.slice(0, at).split('\r\n');
  const headers = new Map(
    lines.map((line): [string, string] => {
      const [name = '', ...value] = line.split(':');
      return [name.toLowerCase(), value.join(':').trim()];
    }),
  );
  const body = text.slice(at + '\r\n\r\n'.length);
  if (body.length < Number(headers.get('content-length') ?? 0)) return undefined;
  const [method = '', path = ''] = first.split(' ');
  return { method, path, headers, body };
}
