import { once } from 'node:events';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Forwards each request to the server in its `x-upstream` header. */
export async function openSwitchboard(): Promise<{ readonly url: string } & Disposable> {
  const server = createServer((incoming, outgoing) => {
    const { 'x-upstream': upstream, host: _, ...headers } = incoming.headers;
    const { method } = incoming;
    const target = new URL(`${upstream}${incoming.url}`);
    const onward = request(target, { method, headers }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      response.pipe(outgoing);
    });
    // Not `outgoing.destroy()`: on Bun that sends an empty 200 of its own.
    onward.on('error', () => incoming.socket.destroy());
    incoming.pipe(onward);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // It listens on a port, not on a pipe.
  return { url: `http://127.0.0.1:${port}`, [Symbol.dispose]: () => server.close() };
}
