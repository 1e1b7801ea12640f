import type { Socket } from 'bun';

/** A TCP proxy on the loopback that passes everything on until it cuts its connections. */
export interface CuttingProxy extends Disposable {
  readonly port: number;
  /** Ends every connection at once, whatever is under way on it. */
  cut(): void;
}

interface Leg {
  other: Socket<Leg> | undefined;
  /** What came before the other leg was there. */
  early: Buffer[];
}

/** Starts a proxy to a port of the loopback. */
export function startCuttingProxy(target: number): CuttingProxy {
  const open = new Set<Socket<Leg>>();
  const onward = {
    data: ({ data }: Socket<Leg>, bytes: Buffer) => void data.other?.write(bytes),
    close: (socket: Socket<Leg>) => {
      open.delete(socket);
      socket.data.other?.end();
    },
  };
  const listener = Bun.listen<Leg>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      ...onward,
      open(socket) {
        socket.data = { other: undefined, early: [] };
        open.add(socket);
        void join(socket);
      },
      data(socket, bytes) {
        if (socket.data.other === undefined) socket.data.early.push(Buffer.from(bytes));
        else socket.data.other.write(bytes);
      },
    },
  });

  async function join(socket: Socket<Leg>): Promise<void> {
    const other = await Bun.connect<Leg>({
      hostname: '127.0.0.1',
      port: target,
      data: { other: socket, early: [] },
      socket: onward,
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
    [Symbol.dispose]() {
      cut();
      listener.stop(true);
    },
  };
}
