import { describe, expect, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileVariable } from '../../src/settings/config.ts';
import { settings } from '../../src/settings/settings.ts';
import { programPath } from '../support/program.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dir, '../..');
const KNOWN = new Set<string>(
  Object.values(settings).flatMap(({ variable }) => [variable, fileVariable(variable)]),
);

const textOf = (name: string) => readFileSync(join(ROOT, 'examples', name), 'utf8');

describe.each(['petstore.service', 'Dockerfile'])('examples/%s', (name) => {
  test('sets only existing settings', () => {
    // An argument of the build is no setting.
    const text = textOf(name).replaceAll(/^ARG .*$/gm, '');
    const named = [...text.matchAll(/PETSTORE_[A-Z_]+/g)].map(([variable]) => variable);
    expect(named.length).toBeGreaterThan(0);
    expect(named.filter((variable) => !KNOWN.has(variable))).toEqual([]);
  });
});

test('the unit is restarted after any number of failures', () => {
  const text = textOf('petstore.service');
  const [unit = '', service = ''] = text.split(/^\[(?:Service|Install)\]$/m);
  expect(service).toMatch(/^Restart=always$/m);
  // By default systemd gives up after five starts within 10 s: a minute without a database suffices.
  expect(unit).toMatch(/^StartLimitIntervalSec=0$/m);
});

test('the unit waits until it serves, and restarts one that is stuck', () => {
  const text = textOf('petstore.service');
  expect(text).toMatch(/^Type=notify\n.*\nNotifyAccess=all$/m);
  expect(text).toMatch(/^TimeoutStartSec=infinity$/m);
  expect(text).toMatch(/^WatchdogSec=60$/m);
});

test('the unit shows how to load a secret from a file', () => {
  const [, id, file] = /^#LoadCredential=(\S+):(\S+)$/m.exec(textOf('petstore.service')) ?? [];
  expect(file).toEndWith(`/${id}`);
  expect(textOf('petstore.service')).toContain(
    `\n#Environment=${fileVariable(settings.secretKey.variable)}=%d/${id}\n`,
  );
});

test('the image checks itself', () => {
  const [, command = ''] = /^HEALTHCHECK .* CMD (\[.*\])$/m.exec(textOf('Dockerfile')) ?? [];
  expect(JSON.parse(command)).toEqual(['petstore', 'healthcheck']);
});

test('the unit outlives a decoder of photos that is ended for want of memory', () => {
  expect(textOf('petstore.service')).toMatch(/^OOMPolicy=continue$/m);
});

test('the unit writes no core dump, which would contain client data', () => {
  expect(textOf('petstore.service')).toMatch(/^LimitCORE=0$/m);
});

test('the image is built with existing scripts', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const run = [...textOf('Dockerfile').matchAll(/npm run (?:--silent )?([a-z:]+)/g)].map(
    ([, script]) => script,
  );
  expect(run).toEqual(['build', 'sbom']);
  expect(scripts.build).toMatch(/^bun build\/executable\.ts dist\/petstore$/);
});

test.each([
  ['petstore.service', '/usr/local/bin/petstore'],
  ['litestream.service', '/usr/local/bin/litestream'],
  ['high-availability/patroni.service', '/opt/patroni/bin/patroni'],
])('systemd reads %s', async (name, executable) => {
  using folder = createTemporaryFolder();
  const unit = folder.file(basename(name));
  // Settings that an operator may turn on are verified too.
  writeFileSync(unit, textOf(name).replace(/^#(?=Environment=|LoadCredential=)/gm, ''));
  const verify = Bun.spawn([programPath('systemd', 'systemd-analyze'), 'verify', unit], {
    stderr: 'pipe',
  });
  const complaints = (await verify.stderr.text())
    .split('\n')
    // The executable is not installed here.
    .filter((line) => line !== '' && !line.includes(executable));
  expect(complaints).toEqual([]);
});
