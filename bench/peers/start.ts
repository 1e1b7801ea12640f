import type { Contender } from '../contenders/contender.ts';
import type { Comparison, Scenario } from '../scenarios.ts';
import { markdownTable } from '../table.ts';
import { peers } from './all.ts';
import { isInstalled, type Peer, type PeerPlace } from './peer.ts';

/** Starts the chosen peers. Reports those that are not installed or fail to start. */
export async function startPeers(
  target: PeerPlace,
  comparison: Comparison,
  folders: readonly string[] | undefined,
  candidates: readonly Peer[] = peers,
): Promise<Contender[]> {
  const chosen = candidates.filter(({ folder }) => folders?.includes(folder) ?? true);
  const missing = chosen.filter((peer) => !isInstalled(peer)).map(({ name }) => name);
  if (missing.length > 0) {
    const names = missing.join(', ');
    process.stderr.write(`Not installed, so left out (npm run bench:install): ${names}.\n`);
  }
  const started: Contender[] = [];
  for (const peer of chosen.filter(isInstalled)) {
    const scenarios = peer.isFullJob === true ? comparison.scenarios : simplest(comparison);
    if (scenarios.length === 0) continue;
    try {
      started.push({ ...(await peer.start(target, { ...comparison, scenarios })), isPeer: true });
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      process.stderr.write(`${peer.name} is left out of ${comparison.name}: ${reason}\n`);
    }
  }
  return started;
}

/** What a peer that does not do our whole work can answer: the first scenario, if it mixes no kinds. */
function simplest({ scenarios }: Comparison): readonly Scenario[] {
  return scenarios.slice(0, 1).filter(({ kinds }) => kinds.length === 1);
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
