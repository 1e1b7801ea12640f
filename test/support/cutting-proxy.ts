import type { Socket } from 'bun';

/** A TCP proxy on the loopback that passes everything on until it cuts its connections. */
export interface CuttingProxy extends Disposable {
  readonly port: number;
  /** Ends every connection at once, whatever is under way on it. */
  cut(): void;
  /** Passes on to another port of the loopback from now on; ends the connections to the first. */
  moveTo(target: number): void;
  /**
   * Ends the first connection on which a client has sent all of these texts, one after the other,
   * before the last of them goes on to the server, or after the server has answered to it, before
   * that answer goes on to the client. Comes back when that has happened.
   */
  cutAt(texts: readonly string[], moment: CutMoment): Promise<void>;
}

export type CutMoment = 'before the server knows' | 'before the client knows';

interface Leg {
  other: Socket<Leg> | undefined;
  /** What came before the other leg was there. */
  early: Buffer[];
  /** How many of the texts to cut at its client has sent. */
  seen: number;
}

/** A cut that is to come. */
interface Cut {
  readonly texts: readonly string[];
  readonly moment: CutMoment;
  /** The connection on which all was seen. */
  found: Socket<Leg> | undefined;
  done(): void;
}

/** Starts a proxy to a port of the loopback. */
export function startCuttingProxy(target: number): CuttingProxy {
  const open = new Set<Socket<Leg>>();
  let port = target;
  let awaited: Cut | undefined;

  function close(socket: Socket<Leg>): void {
    open.delete(socket);
    socket.data.other?.end();
  }

  /** Whether a connection is cut at what came from its client. */
  function isCutAt(socket: Socket<Leg>, bytes: Buffer): boolean {
    if (awaited === undefined || awaited.found !== undefined) return false;
    const { texts, moment } = awaited;
    if (bytes.includes(texts[socket.data.seen] ?? '')) socket.data.seen++;
    if (socket.data.seen < texts.length) return false;
    awaited.found = socket;
    return moment === 'before the server knows';
  }

  function cutOne(socket: Socket<Leg>): void {
    socket.data.other?.terminate();
    socket.terminate();
    awaited?.done();
    awaited = undefined;
  }

  const listener = Bun.listen<Leg>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      close,
      open(socket) {
        socket.data = { other: undefined, early: [], seen: 0 };
        open.add(socket);
        void join(socket);
      },
      data(socket, bytes) {
        if (isCutAt(socket, bytes)) cutOne(socket);
        else if (socket.data.other === undefined) socket.data.early.push(Buffer.from(bytes));
        else socket.data.other.write(bytes);
      },
    },
  });

  async function join(socket: Socket<Leg>): Promise<void> {
    const other = await Bun.connect<Leg>({
      hostname: '127.0.0.1',
      port,
      data: { other: socket, early: [], seen: 0 },
      socket: {
        close,
        data(_, bytes) {
          if (awaited?.found === socket) cutOne(socket);
          else socket.write(bytes);
        },
      },
    });
    open.add(other);
    for (const bytes of socket.data.early.splice(0)) other.write(bytes);
    socket.data.other = other;
  }

  function cut(): void {
    for (const socket of open) socket.terminate();
    open.clear();
  }

  return {
    port: listener.port,
    cut,
    moveTo(other) {
      port = other;
      cut();
    },
    cutAt(texts, moment) {
      const { promise, resolve } = Promise.withResolvers<void>();
      for (const { data } of open) data.seen = 0;
      awaited = { texts, moment, found: undefined, done: resolve };
      return promise;
    },
    [Symbol.dispose]() {
      cut();
      listener.stop(true);
    },
  };
}
