import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { parse, parseAllDocuments } from 'yaml';
import { type Config, passwordsOf } from '../../src/settings/config.ts';
import { example } from '../cluster/proxy-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from '../support/temporary.ts';
import { makeSecrets, quietConfigOf, withSecretsIn } from './manifest-settings.ts';

const shipped = (name: string) => example(`high-availability/${name}`);
/** A value in parsed YAML; the tests know what they look for. */
// biome-ignore lint/suspicious/noExplicitAny: the files have no schema of ours.
type Parsed = any;

/** The hosts of the database, in order. */
const hostsOf = (address: string) => [...address.matchAll(/postgres-\d:\d+/g)].map(String);
const HOSTS = ['postgres-1:5432', 'postgres-2:5432', 'postgres-3:5432'];

describe('compose.yaml for failover', () => {
  const { services, secrets }: Parsed = parse(shipped('compose.yaml'), { merge: true });
  const ofKind = (kind: string): [string, Parsed][] =>
    Object.entries(services).filter(([name]) => name.startsWith(kind));

  test('runs the instances that the proxy names, on all hosts of the database', async () => {
    using folder = createTemporaryFolder();
    mkdirSync(folder.file('examples/high-availability'), { recursive: true });
    makeSecrets(shipped('compose.yaml'), folder.path);
    const here = (file: string) => folder.file(`examples/high-availability/${file}`);
    const [, password] =
      /^PETSTORE_PASSWORD=(\w{32})$/m.exec(readFileSync(here('.env'), 'utf8')) ?? [];
    const instances = ofKind('petstore-').map(async ([name, service]) => {
      const config = await quietConfigOf(withSecretsIn(here('secrets'), service.environment));
      expect(service.secrets).toEqual(Object.keys(secrets));
      expect(hostsOf(config.database)).toEqual(HOSTS);
      expect(passwordsOf(config)).toContain(password ?? 'none');
      expect(config.trustedProxies).toEqual([services.proxy.networks.default.ipv4_address]);
      return `${name}:${config.port}`;
    });
    expect(await Promise.all(instances)).toEqual(
      // Long requests and others go to the same instances.
      [...new Set(example('haproxy.cfg').match(/petstore-\d+:\d+/g))],
    );
  });

  test('gives each PostgreSQL its own name, addresses and folder', () => {
    const found = ofKind('postgres-').map(([name, { environment, volumes }]) => {
      expect(environment.PATRONI_NAME).toBe(name);
      expect(environment.PATRONI_RESTAPI_CONNECT_ADDRESS).toBe(`${name}:8008`);
      expect(volumes).toEqual([`${name}:/var/lib/postgresql/15`]);
      return environment.PATRONI_POSTGRESQL_CONNECT_ADDRESS;
    });
    expect(found).toEqual(HOSTS);
  });

  test('runs the members of etcd that Patroni asks', () => {
    const members = ofKind('etcd-').map(([name, { environment }]) => {
      expect(environment.ETCD_NAME).toBe(name);
      expect(environment.ETCD_INITIAL_CLUSTER).toContain(
        `${name}=${environment.ETCD_INITIAL_ADVERTISE_PEER_URLS}`,
      );
      return environment.ETCD_ADVERTISE_CLIENT_URLS.replace('http://', '');
    });
    expect(members.join(',')).toBe(parse(shipped('patroni.yml')).etcd3.hosts);
  });
});

describe('patroni.yml', () => {
  const { bootstrap, restapi }: Parsed = parse(shipped('patroni.yml'));
  const { dcs }: Parsed = bootstrap;

  test('acknowledges nothing that only the leader has', () => {
    expect(dcs.synchronous_mode).toBe('quorum');
    expect(dcs.postgresql.parameters.synchronous_commit).toBeUndefined();
  });

  test('gives the leader time to update its lock twice', () => {
    expect(dcs.loop_wait + 2 * dcs.retry_timeout).toBeLessThanOrEqual(dcs.ttl);
  });

  test('is checked by HAProxy on the port that Patroni listens on', () => {
    const port = restapi.listen.split(':')[1];
    expect(shipped('haproxy.cfg')).toContain(`check port ${port}`);
    expect(shipped('haproxy.cfg').match(/(?<=server )postgres-\d postgres-\d:\d+/g)).toHaveLength(
      3,
    );
  });

  test('comes with the version of Patroni that the failover tests run', async () => {
    const pinned = await Bun.file(`${import.meta.dir}/../failover/requirements.txt`).text();
    const [version = 'none'] = /(?<=^patroni)==.*$/m.exec(pinned) ?? [];
    for (const name of ['patroni.Dockerfile', 'patroni.service'])
      expect(shipped(name)).toContain(`patroni[etcd3]${version}'`);
    expect(shipped('README.md')).toContain(`Patroni ${version.slice(2)} `);
  });
});

describe('patroni.service', () => {
  test('runs the installed program with the installed file', () => {
    const unit = shipped('patroni.service');
    const [, program = '', file = ''] = /^ExecStart=(\S+) (\S+)$/m.exec(unit) ?? [];
    expect(unit).toContain(`python3 -m venv ${program.replace('/bin/patroni', '')}\n`);
    expect(unit).toContain(`-t ${file.replace('/patroni.yml', '')} patroni.yml\n`);
    expect(parse(shipped('patroni.yml')).bootstrap.post_bootstrap).toBe(
      file.replace('patroni.yml', 'create-database.sh'),
    );
  });
});

describe('kubernetes.yaml', () => {
  const objects: readonly Parsed[] = parseAllDocuments(shipped('kubernetes.yaml')).map(
    (document) => ('toJS' in document ? document.toJS() : undefined),
  );
  const only = (kind: string, name?: string) =>
    objects.find(
      (object) => object.kind === kind && (name ?? object.metadata.name) === object.metadata.name,
    );
  const deployment = only('Deployment');
  const pod = deployment.spec.template;
  const [container] = pod.spec.containers;
  const MOUNTED = '/run/secrets/petstore';
  let folder: TemporaryFolder;
  let config: Config;

  beforeAll(async () => {
    folder = createTemporaryFolder();
    const [database = ''] = /postgres:\/\/[^\s`]+(?=,)/.exec(shipped('kubernetes.yaml')) ?? [];
    writeFileSync(folder.file('database'), `${database}\n`);
    writeFileSync(folder.file('secret-key'), `${'ab'.repeat(32)}\n`);
    config = await quietConfigOf(withSecretsIn(folder.path, only('ConfigMap').data));
  });
  afterAll(() => folder[Symbol.dispose]());

  test('has settings that the service accepts, and the port of its probes', () => {
    expect(hostsOf(config.database)).toEqual(HOSTS);
    expect(container.ports[0].containerPort).toBe(config.port);
    expect(config.secretKey).toHaveLength(1);
    expect(container.readinessProbe.httpGet.path).toBe('/readyz');
    expect(container.livenessProbe.httpGet.path).toBe('/livez');
  });

  test('lets the metrics be scraped, by the monitoring alone', () => {
    const metrics = container.ports.find(({ name }: Parsed) => name === 'metrics').containerPort;
    expect(config.opsHost).toBe('0.0.0.0');
    expect(config.opsPort).toMatchObject({ number: metrics });
    expect(pod.metadata.annotations['prometheus.io/port']).toBe(String(metrics));
    const [, monitoring] = only('NetworkPolicy', 'petstore').spec.ingress;
    expect(monitoring.ports).toEqual([{ port: 'metrics' }]);
    expect(monitoring.from[0].namespaceSelector.matchLabels).toEqual({
      'kubernetes.io/metadata.name': 'monitoring',
    });
  });

  test('migrates by a job that gets the password from the secret', () => {
    const { spec } = only('Job').spec.template;
    const [migrate] = spec.containers;
    expect(migrate.args).toEqual(['migrate']);
    expect(migrate.image).toBe(container.image);
    expect(migrate.env).toEqual([
      { name: 'PETSTORE_DATABASE_FILE', value: only('ConfigMap').data.PETSTORE_DATABASE_FILE },
    ]);
  });

  test('gets its secrets as files that its user can read, and no password otherwise', () => {
    for (const { spec } of [pod, only('Job').spec.template]) {
      const [secrets] = spec.volumes;
      expect(secrets).toMatchObject({ name: 'secrets', secret: { secretName: 'petstore' } });
      const { name } = secrets;
      const mount = { name, mountPath: MOUNTED, readOnly: true };
      expect(spec.containers[0].volumeMounts).toContainEqual(mount);
      expect(spec.securityContext.fsGroup).toBe(spec.securityContext.runAsGroup);
    }
    expect(JSON.stringify(objects)).not.toMatch(/postgres:\/\/|secretKeyRef/);
  });

  test('gets no variables of other services, which would look like settings', () => {
    for (const kind of ['Deployment', 'Job']) {
      expect(only(kind).spec.template.spec.enableServiceLinks).toBe(false);
    }
  });

  test('is killed for its memory only after the alert', () => {
    const limit = /(\d+)Mi/.exec(container.resources.limits.memory)?.[1];
    const alerts = example('prometheus-alerts.yaml');
    const alert = /process_resident_memory_bytes[^\n]*> (\d+) \* 1024/.exec(alerts)?.[1];
    expect(Number(alert)).toBeLessThan(Number(limit));
  });

  test('ends a pod only after it was taken out and its requests have ended', () => {
    const { periodSeconds, failureThreshold } = container.readinessProbe;
    expect(config.shutdownDelayMs).toBeGreaterThan(periodSeconds * failureThreshold * 1_000);
    const grace = pod.spec.terminationGracePeriodSeconds * 1_000;
    expect(grace).toBeGreaterThan(config.shutdownDelayMs + 10_000);
  });

  test('selects its own pods everywhere', () => {
    const { labels } = pod.metadata;
    expect(deployment.spec.selector.matchLabels).toEqual(labels);
    expect(only('Service').spec.selector).toEqual(labels);
    expect(only('PodDisruptionBudget').spec.selector.matchLabels).toEqual(labels);
    expect(only('NetworkPolicy', 'petstore').spec.podSelector.matchLabels).toEqual(labels);
    for (const { labelSelector } of pod.spec.topologySpreadConstraints)
      expect(labelSelector.matchLabels).toEqual(labels);
    expect(only('PodDisruptionBudget').spec.minAvailable).toBeLessThan(deployment.spec.replicas);
  });
});
