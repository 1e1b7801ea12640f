import { beforeAll, describe, expect, test } from 'bun:test';
import { mkdirSync, statSync } from 'node:fs';
import { parse } from 'yaml';
import type { Config } from '../../src/settings/config.ts';
import { makeSecrets, quietConfigOf, withSecretsIn } from '../examples/manifest-settings.ts';
import { forAllTests } from '../support/lifetime.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { example } from './proxy-server.ts';

interface Service {
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>;
  readonly secrets?: readonly string[];
  readonly restart?: string;
  readonly volumes?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: { readonly default: { readonly ipv4_address: string } };
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
}

describe('compose.yaml', () => {
  const text = example('compose.yaml');
  const compose: {
    readonly services: Readonly<Record<string, Service>>;
    readonly secrets: Readonly<Record<string, { readonly file: string }>>;
  } = parse(text, { merge: true });
  const { services } = compose;
  const instances = Object.entries(services).filter(([name]) => name.startsWith('petstore-'));

  const secret = (name: string) => folder.file(`examples/secrets/${name}`);
  /** The settings of an instance, with the secrets that the first lines of the file make. */
  const configOf = ({ environment = {} }: Service): Promise<Config> =>
    quietConfigOf(withSecretsIn(folder.file('examples/secrets'), environment));

  const folder = forAllTests(() => createTemporaryFolder());
  beforeAll(() => {
    mkdirSync(folder.file('examples'));
    makeSecrets(text, folder.path);
  });

  test('has secrets in files that only the containers get', async () => {
    expect(Object.entries(compose.secrets)).toEqual(
      ['database', 'secret-key', 'postgres-password'].map((name) => [
        name,
        { file: `secrets/${name}` },
      ]),
    );
    expect(statSync(folder.file('examples/secrets')).mode & 0o777).toBe(0o700);
    expect(statSync(secret('database')).mode & 0o777).toBe(0o644);
    for (const service of Object.values(services)) {
      const used = Object.values(service.environment ?? {}).join(' ');
      expect(used).not.toMatch(/PASSWORD|\$\{/);
      const names = [...used.matchAll(/\/run\/secrets\/(\S+)/g)].map(([, name = '']) => name);
      expect(names.sort()).toEqual([...(service.secrets ?? [])].sort());
    }
    expect(services['postgres']?.environment?.['POSTGRES_PASSWORD_FILE']).toBe(
      '/run/secrets/postgres-password',
    );
    for (const ignored of ['../.gitignore', '../.dockerignore']) {
      expect(example(ignored)).toMatch(/^\/?examples\/\*\*\/secrets\/?$/m);
    }
  });

  test('migrates before the instances start', () => {
    const { command, restart, depends_on } = services['migrate'] ?? {};
    expect({ command, restart }).toEqual({ command: ['migrate'], restart: 'on-failure' });
    expect(depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    for (const [, instance] of instances) {
      expect(instance.depends_on?.['migrate']?.condition).toBe('service_completed_successfully');
    }
  });

  test('scrapes the metrics of each instance', async () => {
    const { rule_files, scrape_configs } = parse(example('prometheus.yaml'));
    const targets = instances.map(async ([name, service]) => {
      const { opsHost, opsPort } = await configOf(service);
      expect(opsHost).toBe('0.0.0.0');
      return `${name}:${opsPort.number}`;
    });
    expect(scrape_configs[0].static_configs[0].targets).toEqual(await Promise.all(targets));
    expect(services['prometheus']?.volumes).toContain(
      `./${rule_files[0]}:/etc/prometheus/${rule_files[0]}:ro`,
    );
    expect(example(rule_files[0])).toContain(`job="${scrape_configs[0].job_name}"`);
  });

  test('starts the instances that both proxies name, on the ports that they use', async () => {
    const named = await Promise.all(
      instances.map(async ([name, service]) => `${name}:${(await configOf(service)).port}`),
    );
    expect(named).toHaveLength(2);
    // Long requests and others go to the same instances.
    const servers = (text: string) => [...new Set(text.match(/petstore-\d+:\d+/g))];
    expect(servers(example('haproxy.cfg'))).toEqual(named);
    expect(servers(example('nginx.conf'))).toEqual(named);
  });

  test.each(instances)('%s has settings that the service accepts', async (_, service) => {
    const config = await configOf(service);
    const password = (await Bun.file(secret('postgres-password')).text()).trim();
    expect(password).toMatch(/^[0-9a-f]{32}$/);
    expect(config.database).toBe(`postgres://petstore:${password}@postgres:5432/petstore`);
    expect(config.secretKey).toHaveLength(1);
    expect(config.limits).toBe('redis://valkey:6379');
    expect(config.trustedProxies).toEqual([
      services['proxy']?.networks?.default.ipv4_address ?? '',
    ]);
    expect(services['proxy']?.ports).toEqual([`${new URL(config.baseUrl ?? '').host}:80`]);
    // HAProxy takes an instance out within 1.5 s; requests in flight may take 10 s more.
    expect(config.shutdownDelayMs).toBeGreaterThan(1_500);
    const grace = Number.parseInt(service.stop_grace_period ?? '', 10) * 1_000;
    expect(grace).toBeGreaterThan(config.shutdownDelayMs + 10_000);
  });

  test('calls the database healthy once it accepts connections from others', () => {
    const [kind, ...command] = services['postgres']?.healthcheck?.test ?? [];
    expect([kind, command[0]]).toEqual(['CMD', 'pg_isready']);
    // The image listens only on its Unix socket while it prepares the database.
    expect(command).toContain('127.0.0.1');
  });
});
