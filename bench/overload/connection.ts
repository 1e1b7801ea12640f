import type { Socket } from 'bun';

/** A success or a refusal, as received. */
export interface ReceivedResponse {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** A keep-alive connection with one request at a time. */
export interface Connection {
  send(request: Buffer): void;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: ([0-9]+)/i;

/** Opens a connection. Calls `onResponse` with each response and `onEnd` when it closes. */
export async function openConnection(
  origin: string,
  onResponse: (connection: Connection, response: ReceivedResponse) => void,
  onEnd: (connection: Connection) => void,
): Promise<Connection> {
  const { hostname, port } = new URL(origin);
  /** The received part of an incomplete response. */
  let part: Buffer | undefined;
  let socket: Socket | undefined;
  const connection: Connection = { send: (request) => void socket?.write(request) };

  function take(bytes: Buffer): void {
    const all = part === undefined ? bytes : Buffer.concat([part, bytes]);
    const headEnd = all.indexOf(HEAD_END);
    const head = headEnd < 0 ? '' : all.toString('latin1', 0, headEnd);
    const bodyAt = headEnd + HEAD_END.length;
    const length = Number(LENGTH.exec(head)?.[1] ?? Number.NaN);
    if (headEnd < 0 || all.length < bodyAt + length) {
      part = Buffer.from(all);
      return;
    }
    part = undefined;
    onResponse(connection, { status: Number(head.slice(9, 12)), head, body: all.subarray(bodyAt) });
  }

  socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: { data: (_, bytes) => take(bytes), close: () => onEnd(connection) },
  });
  return connection;
}
