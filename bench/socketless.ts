import { openServer } from '../src/server/server.ts';
import { readConfig } from '../src/settings/config.ts';

export type Handler = (request: Request) => Response | Promise<Response>;

/** Opens the service as shipped on a database file, without a socket, and returns its handler. */
export async function openSocketless(
  database: string,
): Promise<{ readonly handler: Handler; close(): Promise<void> }> {
  const serveOnSocket = Bun.serve;
  let handle: ((request: Request, server: object) => Response | Promise<Response>) | undefined;
  // Replaces the only call of `Bun.serve` in the service.
  const noSocket = {
    port: 0,
    pendingRequests: 0,
    requestIP: () => ({ address: '127.0.0.1' }),
    timeout: () => {},
    reload: ({ fetch }: { fetch: typeof handle }) => {
      handle = fetch;
    },
    stop: async () => {},
  };
  Object.assign(Bun, { serve: () => noSocket });
  const server = await openServer(
    readConfig({ database: `sqlite:${database}`, opsPort: 'off', logLevel: 'info' }, {}),
  );
  Object.assign(Bun, { serve: serveOnSocket });
  const serve = handle;
  if (serve === undefined) throw new Error('the service has set no handler');
  return { handler: (request) => serve(request, noSocket), close: server.close };
}
