import type { Contender } from '../contenders/contender.ts';
import type { Scenario } from '../scenarios.ts';
import { markdownTable } from '../table.ts';
import { peers } from './all.ts';
import { isInstalled, type PeerPlace } from './peer.ts';

/** Starts the installed peers. Reports the others, and those that fail to start. */
export async function startPeers(target: PeerPlace, scenario: Scenario): Promise<Contender[]> {
  const missing = peers.filter((peer) => !isInstalled(peer)).map(({ name }) => name);
  if (missing.length > 0) {
    const names = missing.join(', ');
    process.stderr.write(`Not installed, so left out (npm run bench:install): ${names}.\n`);
  }
  const started: Contender[] = [];
  for (const peer of peers.filter(isInstalled)) {
    try {
      started.push({ ...(await peer.start(target, scenario)), isPeer: true });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${peer.name} is left out of ${scenario.name}: ${reason}\n`);
    }
  }
  return started;
}

/** Renders the differences of the peers and the missing ones as a Markdown section. */
export function describePeers(): string {
  const rows = peers.map((peer) => [
    isInstalled(peer) ? peer.name : `${peer.name} (not installed)`,
    peer.difference,
  ]);
  return `## What the peers do differently, or not at all

${markdownTable(['peer', 'difference'], rows)}
`;
}
