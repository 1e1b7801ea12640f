import type { Socket } from 'bun';

/** Many silent connections. */
export interface Crowd {
  /** The number that the server has closed so far. */
  readonly ended: number;
  /** The number that could not be opened. */
  readonly refused: number;
  /** The longest time that the server left one open, in milliseconds. */
  readonly longestMs: number;
  stop(): void;
}

/** Holds `count` connections open: when the server closes one, opens another. */
export async function gatherCrowd(port: number, count: number): Promise<Crowd> {
  const sockets = new Map<Socket, number>();
  let stopped = false;
  let ended = 0;
  let refused = 0;
  let closedLongestMs = 0;

  async function join(): Promise<void> {
    try {
      await Bun.connect({
        hostname: '127.0.0.1',
        port,
        socket: {
          open: (socket) => void sockets.set(socket, performance.now()),
          data: () => {},
          close: leave,
        },
      });
    } catch {
      refused++;
    }
  }

  function leave(socket: Socket): void {
    const openedAt = sockets.get(socket);
    sockets.delete(socket);
    if (stopped || openedAt === undefined) return;
    ended++;
    closedLongestMs = Math.max(closedLongestMs, performance.now() - openedAt);
    void join();
  }

  await Promise.all(Array.from({ length: count }, join));
  return {
    get ended() {
      return ended;
    },
    get refused() {
      return refused;
    },
    get longestMs() {
      const now = performance.now();
      return Math.max(closedLongestMs, ...[...sockets.values()].map((openedAt) => now - openedAt));
    },
    stop() {
      stopped = true;
      for (const socket of sockets.keys()) socket.terminate();
    },
  };
}
