import type { DatabaseCluster } from './database-cluster.ts';
import type { Host } from './hosts.ts';
import type { Load } from './load.ts';

/** Something that goes wrong with the database cluster, and is repaired. */
export interface Scenario {
  readonly name: string;
  /** Breaks it under load and repairs it. Resolves once it is repaired, though not yet whole. */
  run(cluster: DatabaseCluster, load: Load): Promise<void>;
}

/** A failed leader is replaced within this time. */
const FAILOVER_MS = 90_000;
/** How long a fault lasts that does not stop writes: longer than Patroni's ttl of 20 s. */
const FAULT_MS = 25_000;
/** The time with a new leader before the old one returns. */
const LATER_MS = 3_000;

/** Waits until another host leads and writes are acknowledged. */
async function untilReplaced({ leader }: DatabaseCluster, former: Host, load: Load): Promise<void> {
  const end = performance.now() + FAILOVER_MS;
  for (;;) {
    const current = await leader();
    if (current !== undefined && current !== former) break;
    if (performance.now() > end) throw new Error(`${former.name} was not replaced`);
    await Bun.sleep(100);
  }
  await load.untilWritten();
  await Bun.sleep(LATER_MS);
}

async function leaderOf(cluster: DatabaseCluster): Promise<Host> {
  const host = await cluster.leader();
  if (host === undefined) throw new Error('there is no leader');
  return host;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'leader killed',
    async run(cluster, load) {
      const host = await leaderOf(cluster);
      await host.kill();
      await untilReplaced(cluster, host, load);
      cluster.start(host);
    },
  },
  {
    name: 'leader halted and gone on',
    async run(cluster, load) {
      const host = await leaderOf(cluster);
      using _halted = await host.halt();
      await untilReplaced(cluster, host, load);
    },
  },
  {
    name: "leader's network cut",
    async run(cluster, load) {
      const host = await leaderOf(cluster);
      using _cut = host.cut();
      await untilReplaced(cluster, host, load);
    },
  },
  {
    name: 'standby killed',
    async run(cluster) {
      const host = await cluster.standby();
      await host.kill();
      await Bun.sleep(FAULT_MS);
      cluster.start(host);
    },
  },
  {
    name: 'standby halted and gone on',
    async run(cluster) {
      const host = await cluster.standby();
      using _halted = await host.halt();
      await Bun.sleep(FAULT_MS);
    },
  },
  {
    name: 'etcd gone',
    async run(cluster) {
      await Promise.all(cluster.etcd.map((host) => host.kill()));
      await Bun.sleep(FAULT_MS);
      for (const host of cluster.etcd) cluster.start(host);
    },
  },
  {
    name: 'PostgreSQL of the leader killed',
    async run(cluster, load) {
      const host = await leaderOf(cluster);
      await host.kill('postgres');
      await load.untilWritten();
    },
  },
  {
    name: 'both standbys killed',
    async run(cluster, load) {
      const leader = await leaderOf(cluster);
      const standbys = cluster.postgres.filter((host) => host !== leader);
      await Promise.all(standbys.map((host) => host.kill()));
      await load.untilWritten();
      await Bun.sleep(LATER_MS);
      for (const host of standbys) cluster.start(host);
    },
  },
  {
    name: 'one etcd killed',
    async run({ etcd: [host], start }) {
      await host?.kill();
      await Bun.sleep(FAULT_MS);
      if (host !== undefined) start(host);
    },
  },
  {
    name: 'etcd gone and a standby killed',
    async run(cluster) {
      const standby = await cluster.standby();
      await Promise.all([standby, ...cluster.etcd].map((host) => host.kill()));
      await Bun.sleep(FAULT_MS);
      for (const host of [...cluster.etcd, standby]) cluster.start(host);
    },
  },
  {
    name: 'switchover',
    async run(cluster, load) {
      const host = await leaderOf(cluster);
      await cluster.handOver(host);
      await untilReplaced(cluster, host, load);
    },
  },
];
