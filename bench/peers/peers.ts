import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { countAnimals } from '../animals.ts';
import { type Contender, HONO, RUST } from '../contenders/contender.ts';
import { adds, type Comparison } from '../scenarios.ts';
import type { Workbench } from '../workbench.ts';

/** The environment of a peer. */
interface PeerPlace {
  readonly workbench: Workbench;
  /** A closed database of our service with the animals and the key of the run, to copy. */
  readonly database: string;
  /** The Authorization header with that key. */
  readonly authorization: string;
}

/** Our whole work on the framework of others. It is measured if it is installed. */
interface Peer {
  readonly name: string;
  /** Its folder beside this file, where `npm run bench:install` installs it. */
  readonly folder: string;
  /** The file, relative to its folder, that its installation creates last. */
  readonly installed: string;
  /** The command, to which port and database are appended; `path` names a file in its folder. */
  command(path: (inFolder: string) => string): readonly string[];
}

/** All peers in the order of the tables. */
export const peers: readonly Peer[] = [
  {
    name: RUST,
    folder: 'rust-axum',
    installed: 'build/release/server',
    command: (path) => [path('build/release/server')],
  },
  {
    name: HONO,
    folder: 'hono',
    installed: 'node_modules/hono/package.json',
    command: (path) => [process.execPath, path('server.js')],
  },
];

/** Returns a path in a peer's folder. */
function inPeer({ folder }: Peer, path: string): string {
  return join(import.meta.dir, folder, path);
}

function isInstalled(peer: Peer): boolean {
  return existsSync(inPeer(peer, peer.installed));
}

/** Starts the chosen peers. Reports those that are not installed or fail to start. */
export async function startPeers(
  place: PeerPlace,
  comparison: Comparison,
  folders: readonly string[] | undefined,
): Promise<Contender[]> {
  const chosen = peers.filter(({ folder }) => folders?.includes(folder) ?? true);
  const missing = chosen.filter((peer) => !isInstalled(peer)).map(({ name }) => name);
  if (missing.length > 0) {
    const names = missing.join(', ');
    process.stderr.write(`Not installed, so left out (npm run bench:install): ${names}.\n`);
  }
  const started: Contender[] = [];
  for (const peer of chosen.filter(isInstalled)) {
    try {
      started.push(await startPeer(peer, place, comparison));
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${peer.name} is left out of ${comparison.name}: ${reason}\n`);
    }
  }
  return started;
}

/** Starts a peer on a copy of our database. */
async function startPeer(
  peer: Peer,
  { workbench, database, authorization }: PeerPlace,
  { name: comparison, scenarios }: Comparison,
): Promise<Contender> {
  const { name, folder } = peer;
  const own = join(workbench.folder, `${folder}-${comparison}.db`);
  copyFileSync(database, own);
  const command = peer.command((path) => inPeer(peer, path));
  const server = await workbench.serve(folder, (port) => [...command, String(port), own]);
  const contender = { name, server, scenarios, authorization, isPeer: true };
  if (!scenarios.some(adds)) return contender;
  return { ...contender, countStored: () => countAnimals(`sqlite:${own}`) };
}
