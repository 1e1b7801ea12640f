/** Below what the system gives to outgoing connections: nobody takes such a port by chance. */
const FIRST = 20_000;
const COUNT = 12_000;

/**
 * A port of the loopback that nothing listens on now, for a program that is told its port and may
 * be started on it again.
 */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    try {
      using _listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } });
      return port;
    } catch {
      // It is taken.
    }
  }
}
