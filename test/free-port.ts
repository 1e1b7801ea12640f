/** A port of the loopback that nothing listens on now, for a program that is told its port. */
export function freePort(): number {
  using listener = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } });
  return listener.port;
}
