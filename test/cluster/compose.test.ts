import { describe, expect, test } from 'bun:test';
import { parse } from 'yaml';
import { type Config, readConfig } from '../../src/settings/config.ts';
import { settings } from '../../src/settings/settings.ts';
import { example } from './proxy-server.ts';

interface Service {
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly networks?: { readonly default: { readonly ipv4_address: string } };
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
}

describe('compose.yaml', () => {
  const compose: { readonly services: Readonly<Record<string, Service>> } = parse(
    example('compose.yaml'),
    { merge: true },
  );
  const { services } = compose;
  const instances = Object.entries(services).filter(([name]) => name.startsWith('petstore-'));

  /** The settings of an instance as the service reads them, with a password filled in. */
  function configOf({ environment = {} }: Service): Config {
    const filled = Object.entries(environment).map(([name, value]): [string, string] => [
      name,
      value.replace(/\$\{POSTGRES_PASSWORD:[^}]*\}/, 'secret').replace(/\$\{\w+:-\}/, ''),
    ]);
    return readConfig({}, Object.fromEntries(filled));
  }

  test('starts the instances that both proxies name, on the ports that they use', () => {
    const named = instances.map(([name, service]) => `${name}:${configOf(service).port}`);
    expect(named).toHaveLength(2);
    const servers = (text: string) => text.match(/petstore-\d+:\d+/g)?.map(String);
    expect(servers(example('haproxy.cfg'))).toEqual(named);
    expect(servers(example('nginx.conf'))).toEqual(named);
  });

  test.each(instances)('%s has settings that the service accepts', (_, service) => {
    const known = new Set<string>(Object.values(settings).map(({ variable }) => variable));
    const given = Object.keys(service.environment ?? {});
    expect(given.filter((name) => !known.has(name))).toEqual([]);
    const config = configOf(service);
    expect(config.database).toBe('postgres://petstore:secret@postgres:5432/petstore');
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
