import type { Socket } from 'bun';

/** An answer with success or a refusal, as it came over the wire. */
export interface LineAnswer {
  readonly status: number;
  readonly head: string;
  readonly body: Buffer;
}

/** A connection that stays open and carries one request at a time. */
export interface Line {
  send(request: Buffer): void;
}

const HEAD_END = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: ([0-9]+)/i;

/** Opens a connection. `onAnswer` hears each answer; `onEnd` that it closed. */
export async function openLine(
  origin: string,
  onAnswer: (line: Line, response: LineAnswer) => void,
  onEnd: (line: Line) => void,
): Promise<Line> {
  const { hostname, port } = new URL(origin);
  /** What has come of an answer that is not whole yet. */
  let part: Buffer | undefined;
  let socket: Socket | undefined;
  const line: Line = { send: (request) => void socket?.write(request) };

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
    onAnswer(line, { status: Number(head.slice(9, 12)), head, body: all.subarray(bodyAt) });
  }

  socket = await Bun.connect({
    hostname,
    port: Number(port),
    socket: { data: (_, bytes) => take(bytes), close: () => onEnd(line) },
  });
  return line;
}
