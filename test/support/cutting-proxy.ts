import type { Socket } from 'bun';

/** A TCP proxy on the loopback that forwards everything until it cuts its connections. */
export interface CuttingProxy extends Disposable {
  readonly port: number;
  /** Ends every connection at once, also in the middle of a request. */
  cut(): void;
  /** Forwards to another loopback port from now on, and ends existing connections. */
  moveTo(target: number): void;
  /**
   * Ends the first connection on which a client has sent all of these texts in order,
   * either before the last text reaches the server, or after the server has responded and before
   * the response reaches the client. Resolves once that has happened.
   */
  cutAt(texts: readonly string[], moment: CutMoment): Promise<void>;
}

export type CutMoment = 'before the server knows' | 'before the client knows';

interface Leg {
  other: Socket<Leg> | undefined;
  /** Data that came before the other side was connected. */
  early: Buffer[];
  /** The number of expected texts that the client has sent. */
  seen: number;
}

/** A pending cut. */
interface Cut {
  readonly texts: readonly string[];
  readonly moment: CutMoment;
  /** The connection that has sent all texts. */
  found: Socket<Leg> | undefined;
  done(): void;
}

/** Starts a proxy to a loopback port. */
export function startCuttingProxy(target: number): CuttingProxy {
  const open = new Set<Socket<Leg>>();
  let port = target;
  let awaited: Cut | undefined;

  function close(socket: Socket<Leg>): void {
    open.delete(socket);
    socket.data.other?.end();
  }

  /** Returns true if the data just received completes the expected texts. */
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
