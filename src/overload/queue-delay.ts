/** The time that a new arrival waits until the event loop reaches it. */
export interface QueueDelay {
  /** Starts a measurement unless one was started recently. `now` is a time of `performance.now`. */
  measure(now: number): void;
  /**
   * Milliseconds that the measurement under way has waited behind requests so far; 0 without one. While
   * the process is held up by something else, it hardly grows.
   */
  waited(): number;
  /** Calls back with each delay in milliseconds and the time of the measurement. */
  listen(listener: (delayMs: number, now: number) => void): void;
  close(): void;
}

/** Time between measurements. */
const PERIOD_MS = 50;
/** Another datagram is sent after this time, since the first may be lost. */
const REPEAT_MS = 250;
/** If none has come back in this time, all are lost. */
const LOST_MS = 10_000;
/**
 * The most that the time between two requests counts, in milliseconds. If it was longer, the process
 * had other work or lost its core.
 */
export const INTERVAL_MAX_MS = 5;

/**
 * Measures the queue as a client sees it, by sending a datagram to itself. The kernel reports sockets
 * in the order in which they became ready, so the datagram comes back after every request that
 * arrived before it. Timers cannot measure this: with more than 1,024 busy connections the runtime
 * (1.4) takes up to 50,000 requests in one turn, and no timer runs meanwhile. That is also why the
 * requests themselves call `measure`.
 *
 * Throws the runtime's error if the loopback has no UDP.
 */
export async function measureQueueDelay(): Promise<QueueDelay> {
  // Other senders cannot guess this.
  const token = crypto.randomUUID();
  let listener = (_delayMs: number, _now: number) => {};
  /** When the datagrams under way were sent, by their numbers. The first one back ends the measurement. */
  const sent = new Map<number, number>();
  let lastNumber = 0;
  let nextAt = 0;
  let lookedAt = 0;
  let waitedMs = 0;
  /** Where datagrams are swallowed, nothing is measured. */
  let comesBack = false;

  const socket = await Bun.udpSocket({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(_socket, bytes) {
        const [found, number] = bytes.toString().split(' ');
        const sentAt = sent.get(Number(number));
        if (found !== token || sentAt === undefined) return;
        const now = performance.now();
        comesBack = true;
        end(sentAt + PERIOD_MS);
        listener(now - sentAt, now);
      },
    },
  });
  socket.unref();

  function end(next: number): void {
    // Those sent later are read together with the first one, so their delays are too short.
    sent.clear();
    waitedMs = 0;
    nextAt = next;
  }

  function send(now: number): void {
    nextAt = now + REPEAT_MS;
    sent.set(++lastNumber, now);
    try {
      socket.send(`${token} ${lastNumber}`, socket.port, '127.0.0.1');
    } catch {
      // A packet filter may refuse it. No request fails for that.
      end(now + LOST_MS);
    }
  }

  return {
    measure(now) {
      if (sent.size > 0) waitedMs += Math.min(now - lookedAt, INTERVAL_MAX_MS);
      lookedAt = now;
      if (now < nextAt) return;
      const [firstAt = now] = sent.values();
      if (now - firstAt < LOST_MS) send(now);
      else end(now + LOST_MS);
    },
    waited: () => (comesBack ? waitedMs : 0),
    listen(callBack) {
      listener = callBack;
    },
    close: () => socket.close(),
  };
}
