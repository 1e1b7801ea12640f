/** The time that a new arrival waits until the event loop reaches it. */
export interface QueueDelay {
  /** Starts a measurement unless one was made recently. `now` is a time of `performance.now`. */
  look(now: number): void;
  /** Calls back with each delay in milliseconds and the time of the measurement. */
  listen(listener: (delayMs: number, now: number) => void): void;
  close(): void;
}

/** Time between measurements, unless one takes longer. */
const PERIOD_MS = 50;
/** A datagram that is not back after this time is lost. */
const LOST_MS = 10_000;

/**
 * Measures the queue as a client sees it, by sending a datagram to itself. The kernel reports sockets
 * in the order in which they became ready, so the datagram comes back after every request that
 * arrived before it. Timers cannot measure this: with more than 1,024 busy connections the runtime
 * (1.4) takes up to 50,000 requests in one turn, and no timer runs meanwhile. That is also why the
 * requests themselves call `look`.
 *
 * Throws the runtime's error if the loopback has no UDP.
 */
export async function measureQueueDelay(): Promise<QueueDelay> {
  // Other senders cannot guess this.
  const token = crypto.randomUUID();
  let listener = (_delayMs: number, _now: number) => {};
  let sentAt = 0;
  let isUnderWay = false;
  let nextAt = 0;

  const socket = await Bun.udpSocket({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(_socket, bytes) {
        if (!isUnderWay || bytes.toString() !== token) return;
        isUnderWay = false;
        const now = performance.now();
        nextAt = sentAt + PERIOD_MS;
        listener(now - sentAt, now);
      },
    },
  });
  socket.unref();

  return {
    look(now) {
      if (now < nextAt) return;
      isUnderWay = true;
      sentAt = now;
      nextAt = now + LOST_MS;
      socket.send(token, socket.port, '127.0.0.1');
    },
    listen(callBack) {
      listener = callBack;
    },
    close: () => socket.close(),
  };
}
