import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { example, replaced } from '../cluster/proxy-server.ts';
import { eventually } from '../support/eventually.ts';
import { postgresPrograms } from '../support/postgres-server.ts';
import { createHosts, type Host } from './hosts.ts';

/** Holds copies that PostgreSQL's user can read, wherever the repository is. */
export const CONFIGURATION = '/run/patroni';
const PASSWORD = 'secret';
/** A standby that copies the whole database on a busy machine. */
const WHOLE_MS = 120_000;
/** Patroni's responses take a while on a busy machine. */
const ANSWER_MS = 2_000;

/** A member, as Patroni's `GET /cluster` shows it. */
interface Member {
  readonly name: string;
  readonly role: string;
  readonly state: string;
  readonly lag?: number | 'unknown';
}

/** Three PostgreSQL servers under Patroni and three of etcd, each on its own host. */
export interface DatabaseCluster {
  readonly postgres: readonly Host[];
  readonly etcd: readonly Host[];
  /** The service's database on the hosts' real addresses. */
  readonly address: string;
  /** The same database on one host. */
  addressOf(host: Host): string;
  /** Starts the programs of a host that was killed. */
  start(host: Host): void;
  /** The host that takes writes now; undefined while none does. */
  leader(): Promise<Host | undefined>;
  /** A host that confirms the leader's commits. */
  standby(): Promise<Host>;
  /** Asks the leader to hand over to a standby. */
  handOver(leader: Host): Promise<void>;
  /** Waits until there is a leader with two synchronous standbys that lack nothing. */
  untilWhole(): Promise<void>;
  /** What Patroni says of its members. */
  describe(): Promise<readonly Member[]>;
}

/**
 * Starts the cluster with the configuration in examples/high-availability. `patroni` is the folder of its
 * programs, `mode` another mode of synchronous replication than the shipped one.
 */
export async function startDatabaseCluster(
  patroni: string,
  mode?: string,
): Promise<DatabaseCluster> {
  const hosts = createHosts([1, 2, 3].flatMap((i) => [`etcd-${i}`, `postgres-${i}`]));
  const ofKind = (kind: string) => hosts.filter(({ name }) => name.startsWith(kind));
  const [etcd, postgres] = [ofKind('etcd-'), ofKind('postgres-')];
  configure(mode);

  function start(host: Host): void {
    if (etcd.includes(host)) startEtcd(host, etcd);
    else startPatroni(host, patroni);
  }
  for (const host of hosts) start(host);

  async function describe(): Promise<readonly Member[]> {
    for (const { name } of postgres) {
      const text = await ask(name, '/cluster');
      if (text !== undefined) return (JSON.parse(text) as { members: Member[] }).members;
    }
    return [];
  }

  async function leader(): Promise<Host | undefined> {
    const responses = await Promise.all(postgres.map(({ name }) => ask(name, '/primary')));
    return postgres.find((_, i) => responses[i] !== undefined);
  }

  async function untilWhole(): Promise<void> {
    const end = performance.now() + WHOLE_MS;
    while (!isWhole(await describe())) {
      if (performance.now() > end) {
        const logs = hosts.map(({ name, log }) => `${name}:\n${troublesIn(log())}`);
        throw new Error(`not whole: ${Bun.inspect(await describe())}\n${logs.join('\n')}`);
      }
      await Bun.sleep(200);
    }
  }

  await untilWhole();
  const addressAt = (hosts: readonly Host[]) =>
    `postgres://petstore:${PASSWORD}@${hosts.map(({ name }) => `${name}:5432`).join()}/petstore`;
  return {
    postgres,
    etcd,
    start,
    leader,
    untilWhole,
    describe,
    address: addressAt(postgres),
    addressOf: (host) => addressAt([host]),
    async handOver({ name }) {
      const body = JSON.stringify({ leader: name });
      const response = await fetch(`http://${name}:8008/switchover`, { method: 'POST', body });
      if (!response.ok) throw new Error(await response.text());
    },
    standby: () => eventually(() => synchronous(postgres, describe), Boolean).then(required),
  };
}

/** Copies the shipped configuration. A mode replaces that of synchronous replication. */
function configure(mode: string | undefined): void {
  cpSync(join(import.meta.dir, '../../examples/high-availability'), CONFIGURATION, {
    recursive: true,
  });
  const shipped = example('high-availability/patroni.yml');
  const path = /(?<=post_bootstrap: )\/etc\/patroni(?=\/)/;
  const moved = replaced(shipped, path, CONFIGURATION);
  const ours = mode === undefined ? moved : replaced(moved, /(?<=synchronous_mode: )quorum/, mode);
  writeFileSync(join(CONFIGURATION, 'patroni.yml'), ours);
}

function required<T>(value: T | undefined): T {
  if (value === undefined) throw new Error('there is none');
  return value;
}

async function synchronous(hosts: readonly Host[], describe: () => Promise<readonly Member[]>) {
  const found = (await describe()).find(({ role }) => SYNCHRONOUS.has(role));
  return hosts.find(({ name }) => name === found?.name);
}

/** The roles of standbys that confirm commits: in the modes `on` and `quorum`. */
const SYNCHRONOUS = new Set(['sync_standby', 'quorum_standby']);

/** The states of a standby that follows the leader; before Patroni 3.0.4 it was `running`. */
const FOLLOWING = new Set(['streaming', 'running']);

function isWhole(members: readonly Member[]): boolean {
  const standbys = members.filter(({ role }) => role !== 'leader');
  return (
    members.length === 3 &&
    members.some(({ role, state }) => role === 'leader' && state === 'running') &&
    standbys.length === 2 &&
    standbys.some(({ role }) => SYNCHRONOUS.has(role)) &&
    standbys.every(({ state, lag }) => FOLLOWING.has(state) && lag === 0)
  );
}

/** The last lines of a log that report trouble. */
function troublesIn(log: string): string {
  const lines = log.split('\n').filter((line) => /ERROR|FATAL|CRITICAL|Traceback/.test(line));
  return lines.slice(-5).join('\n');
}

/** Patroni's response if it is 200; undefined otherwise, and if none comes in time. */
async function ask(host: string, path: string): Promise<string | undefined> {
  try {
    const signal = AbortSignal.timeout(ANSWER_MS);
    const response = await fetch(`http://${host}:8008${path}`, { signal });
    const text = await response.text();
    return response.ok ? text : undefined;
  } catch {
    return undefined;
  }
}

function startEtcd({ name, folder, run }: Host, all: readonly Host[]): void {
  const members = all.map((member) => `${member.name}=http://${member.name}:2380`);
  const flags = {
    name,
    'data-dir': `${folder}/data`,
    'listen-client-urls': 'http://0.0.0.0:2379',
    'advertise-client-urls': `http://${name}:2379`,
    'listen-peer-urls': 'http://0.0.0.0:2380',
    'initial-advertise-peer-urls': `http://${name}:2380`,
    'initial-cluster': members.join(','),
    'initial-cluster-token': 'petstore',
  };
  run(['etcd', ...Object.entries(flags).flatMap(([flag, value]) => [`--${flag}`, value])], {});
}

function startPatroni({ name, folder, run }: Host, programs: string): void {
  const bin = required(postgresPrograms());
  run([join(programs, 'patroni'), join(CONFIGURATION, 'patroni.yml')], {
    // psql, for create-database.sh.
    PATH: `${bin}:${process.env['PATH']}`,
    PATRONI_NAME: name,
    PATRONI_RESTAPI_CONNECT_ADDRESS: `${name}:8008`,
    PATRONI_POSTGRESQL_CONNECT_ADDRESS: `${name}:5432`,
    PATRONI_POSTGRESQL_DATA_DIR: `${folder}/data`,
    PATRONI_POSTGRESQL_BIN_DIR: bin,
    PATRONI_SUPERUSER_PASSWORD: PASSWORD,
    PATRONI_REPLICATION_PASSWORD: PASSWORD,
    PATRONI_REWIND_PASSWORD: PASSWORD,
    PETSTORE_PASSWORD: PASSWORD,
  });
}
