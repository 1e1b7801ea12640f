import { readConfig } from '../src/config.ts';
import { openServer } from '../src/server.ts';

export type Handler = (request: Request) => Response | Promise<Response>;

/** Opens the service as shipped on a database file, with no socket; gives what would answer on it. */
export async function openSocketless(
  database: string,
): Promise<{ readonly handler: Handler; close(): Promise<void> }> {
  const serveOnSocket = Bun.serve;
  let response: ((request: Request, server: object) => Response | Promise<Response>) | undefined;
  // The one place of the service that meets a socket gets one that nobody can reach.
  const noSocket = {
    port: 0,
    pendingRequests: 0,
    requestIP: () => ({ address: '127.0.0.1' }),
    timeout: () => {},
    reload: ({ fetch }: { fetch: typeof response }) => {
      response = fetch;
    },
    stop: async () => {},
  };
  Object.assign(Bun, { serve: () => noSocket });
  const server = await openServer(
    readConfig({ database: `sqlite:${database}`, opsPort: 'off', logLevel: 'info' }, {}),
  );
  Object.assign(Bun, { serve: serveOnSocket });
  const serve = response;
  if (serve === undefined) throw new Error('the service was not told to serve');
  return { handler: (request) => serve(request, noSocket), close: server.close };
}
