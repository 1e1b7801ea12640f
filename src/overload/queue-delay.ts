/** How long what arrives now waits until the event loop comes to it. */
export interface QueueDelay {
  /** Measures, unless that was done lately. `now` is a time of `performance.now`. */
  look(now: number): void;
  /** Calls back with each delay in milliseconds, and when it was known. */
  listen(listener: (delayMs: number, now: number) => void): void;
  close(): void;
}

/** The time between two measurements, unless one takes longer. */
const PERIOD_MS = 50;
/** What has not come back after this is lost. */
const LOST_MS = 10_000;

/**
 * Measures the queue as a client meets it: with a datagram to ourselves. The kernel hands out what
 * is ready in the order in which it became so, so the datagram comes back after every request that
 * was there before it. Timers tell nothing: the runtime (1.4) takes up to 50,000 requests in one
 * turn where more than 1,024 connections are busy, and no timer runs meanwhile. So it is the
 * requests that call `look`, too.
 *
 * Throws the runtime's error where there is no UDP on the loopback.
 */
export async function measureQueueDelay(): Promise<QueueDelay> {
  // Whoever else sends to the port does not know this.
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
