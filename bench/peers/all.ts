import { HONO } from '../contenders/names.ts';
import { jsonServer } from './json-server/peer.ts';
import { fullJobPeer, GO_ON_ONE_CORE, NODE, type Peer } from './peer.ts';
import { pocketBase } from './pocketbase/peer.ts';
import { prism } from './prism/peer.ts';

/** Features of ours that none of these peers has. */
const LESS =
  'three operations; no group commit, response cache, index of names, bans, or stored counts';

const goNetHttp = {
  name: 'Go net/http',
  folder: 'go-net-http',
  installed: 'build/server',
  difference: `mattn/go-sqlite3, GOMAXPROCS=1; ${LESS}`,
};
const oapiCodegen = {
  name: 'oapi-codegen',
  folder: 'oapi-codegen',
  installed: 'build/server',
  difference: `router, parameters and types generated from openapi.json, the rest of Go net/http; ${LESS}`,
};
const hono = {
  name: HONO,
  folder: 'hono',
  installed: 'node_modules/hono/package.json',
  difference: `bun:sqlite; ${LESS}`,
};
const startHono = (path: (inFolder: string) => string) => [process.execPath, path('server.js')];

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
  fullJobPeer(hono, startHono),
  fullJobPeer(goNetHttp, (path) => [...GO_ON_ONE_CORE, path('build/server')]),
  fullJobPeer(oapiCodegen, (path) => [...GO_ON_ONE_CORE, path('build/server')]),
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

/** Peers on two cores, as their users start them: Go takes all cores, and Bun one. */
export const peersOnTwoCores: readonly Peer[] = [
  fullJobPeer({ ...hono, name: 'Hono on Bun, one process' }, startHono),
  ...[goNetHttp, oapiCodegen].map((facts) =>
    fullJobPeer({ ...facts, name: `${facts.name}, all cores` }, (path) => [path('build/server')]),
  ),
];
