/** Below the range for outgoing connections, so that no process gets this port by chance. */
const FIRST = 20_000;
const COUNT = 12_000;

/**
 * A loopback port that nothing listens on, for a program that needs to know its port and may
 * be restarted on it.
 */
export function freePort(): number {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * COUNT);
    try {
      using _listener = Bun.listen({ hostname: '127.0.0.1', port, socket: { data() {} } });
      return port;
    } catch {
      // The port is in use.
    }
  }
}
