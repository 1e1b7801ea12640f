import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { type Config, readConfig, settings } from '../../src/config.ts';
import { createTemporaryFolder } from '../temporary.ts';
import { HAPROXY, NO_HAPROXY, shippedConfiguration } from './haproxy.ts';

const EXAMPLES = join(import.meta.dir, '../../examples');
const NGINX = Bun.which('nginx', { PATH: `${process.env['PATH']}:/usr/sbin` });
const NO_NGINX =
  NGINX === null && process.env['CI'] !== 'true'
    ? 'nginx is not installed (apt-get install nginx-light)'
    : undefined;

const example = (name: string) => readFileSync(join(EXAMPLES, name), 'utf8');

/** Holds a configuration against the program that it is for; gives what that complains of. */
function complaints(command: readonly (string | null)[]): string {
  const [program, ...args] = command;
  if (typeof program !== 'string') throw new Error('it is not installed');
  const { exitCode, stderr } = Bun.spawnSync([program, ...args.map(String)]);
  return exitCode === 0 ? '' : stderr.toString();
}

describe.skipIf(NO_HAPROXY !== undefined)(
  `haproxy.cfg${NO_HAPROXY ? `: ${NO_HAPROXY}` : ''}`,
  () => {
    test('is valid, as it is and with the ports of a test', () => {
      using folder = createTemporaryFolder();
      writeFileSync(folder.file('haproxy.cfg'), shippedConfiguration(8080, [8081, 8082]));
      expect(complaints([HAPROXY, '-c', '-f', folder.file('haproxy.cfg')])).toBe('');
      expect(complaints([HAPROXY, '-c', '-f', join(EXAMPLES, 'haproxy.cfg')])).toBe('');
    });
  },
);

describe.skipIf(NO_NGINX !== undefined)(`nginx.conf${NO_NGINX ? `: ${NO_NGINX}` : ''}`, () => {
  test('is valid', () => {
    using folder = createTemporaryFolder();
    // Unlike HAProxy, nginx asks for the addresses of its servers at the start.
    const local = example('nginx.conf').replace(/petstore-\d:8080/g, '127.0.0.1:8080');
    writeFileSync(
      folder.file('nginx.conf'),
      local.replaceAll(/\/dev\/std(out|err)/g, folder.file('log')),
    );
    const global = `pid ${folder.file('pid')};`;
    const command = [NGINX, '-t', '-p', folder.path, '-c', folder.file('nginx.conf'), '-g', global];
    expect(complaints(command)).toBe('');
  });
});

interface Service {
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

  /** The settings of an instance as the service itself reads them, with a password filled in. */
  function configOf({ environment = {} }: Service): Config {
    const filled = Object.entries(environment).map(([name, value]): [string, string] => [
      name,
      value.replace(/\$\{POSTGRES_PASSWORD:[^}]*\}/, 'secret'),
    ]);
    return readConfig({}, Object.fromEntries(filled));
  }

  test('starts the instances that both proxies name, on the ports that they ask', () => {
    const named = instances.map(([name, service]) => `${name}:${configOf(service).port}`);
    expect(named).toHaveLength(2);
    const servers = (text: string) => text.match(/petstore-\d+:\d+/g)?.map(String);
    expect(servers(example('haproxy.cfg'))).toEqual(named);
    expect(servers(example('nginx.conf'))).toEqual(named);
  });

  test.each(instances)('%s has settings that the service knows and takes', (_, service) => {
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
    // HAProxy takes an instance out within 1.5 s; what is under way may take 10 s more.
    expect(config.shutdownDelayMs).toBeGreaterThan(1_500);
    const grace = Number.parseInt(service.stop_grace_period ?? '', 10) * 1_000;
    expect(grace).toBeGreaterThan(config.shutdownDelayMs + 10_000);
  });
});
