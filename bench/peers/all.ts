import { HONO } from '../contenders/names.ts';
import { jsonServer } from './json-server/peer.ts';
import { fullJobPeer, GO_ON_ONE_CORE, NODE, type Peer } from './peer.ts';
import { pocketBase } from './pocketbase/peer.ts';
import { prism } from './prism/peer.ts';

/** Features of ours that none of these peers has. */
const LESS =
  'three operations; no group commit, response cache, index of names, bans, or stored counts';

/** Peers that do our work on a copy of our database. */
const fullJobs: readonly Peer[] = [
  fullJobPeer(
    {
      name: 'Fastify on Node',
      folder: 'fastify',
      installed: NODE,
      difference: `node:sqlite; ${LESS}`,
    },
    (path) => [path(NODE), path('server.js')],
  ),
  fullJobPeer(
    {
      name: HONO,
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
    (path) => [...GO_ON_ONE_CORE, path('build/server')],
  ),
  fullJobPeer(
    {
      name: 'oapi-codegen',
      folder: 'oapi-codegen',
      installed: 'build/server',
      difference: `router, parameters and types generated from openapi.json, the rest of Go net/http; ${LESS}`,
    },
    (path) => [...GO_ON_ONE_CORE, path('build/server')],
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

/** All peers in the order of the tables. */
export const peers: readonly Peer[] = [...fullJobs, pocketBase, prism, jsonServer];
