import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, writeFileSync } from 'node:fs';
import { runHere, runPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { startOnTerminal } from '../support/terminal.ts';
import { createWorkspace } from './workspace.ts';

// The tests run whole commands.
setDefaultTimeout(60_000);

const workspace = forEachTest(() => createWorkspace());

const PORTS = { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: '0' };
const doctor = (...args: string[]) =>
  runHere(['doctor', '--database', workspace.address, ...args], PORTS);

describe('petstore doctor', () => {
  test('finds nothing wrong, and lists its checks', async () => {
    await workspace.output('migrate');
    const { exitCode, stdout, stderr } = await doctor();
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Settings\n {2}ok {6}This is Petstore .*\n {2}ok {6}All settings are valid\.\n\nClock\n {2}ok/,
    );
    const titles = [...stdout.matchAll(/^(\w+)$/gm)].map(([title]) => title);
    expect(titles).toEqual(['Settings', 'Clock', 'Database', 'Disk', 'Backups', 'Limits', 'Ports']);
    // Nothing makes backups here.
    expect(stdout.match(/^ +→.*$/gm)).toEqual([expect.stringContaining('Set it to a folder')]);
    expect(stdout).not.toContain('\x1b');
  });

  test('examines the settings of a file, as systemd gives them to the service', async () => {
    await workspace.output('migrate');
    const file = workspace.path('petstore.env');
    const lines = [
      '# of this machine',
      '; PETSTORE_PORT=many',
      `PETSTORE_DATABASE=${workspace.address}`,
      'PETSTORE_LIMITS="redis://127.0.0.1:1"',
      'PETSTORE_BAN_REFUSALS = no#ne',
      'PETSTORE_PORT=http',
    ];
    writeFileSync(file, lines.join('\n'));
    // In a process of its own, since the file sets variables.
    const { exitCode, stdout } = await runPetstore(['doctor', '--env-file', file], PORTS);
    expect(exitCode).toBe(1);
    expect(stdout).toMatch(/PETSTORE_BAN_REFUSALS must be .* "no#ne"/);
    expect(stdout).toContain('PETSTORE_PORT must be');
    expect(stdout).toContain('redis://127.0.0.1:1 cannot be used');
    expect(stdout).not.toContain('There is no Petstore database');
    const missing = await runHere(['keys', 'list', '--env-file', `${file}.not`], PORTS);
    expect(missing).toMatchObject({ exitCode: 1, stderr: expect.stringContaining('ENOENT') });
  });

  test('gives advice without failing', async () => {
    await workspace.output('migrate');
    chmodSync(workspace.path('petstore.db'), 0o644);
    const { exitCode, stdout } = await doctor();
    expect(exitCode).toBe(0);
    expect(stdout).toContain(
      '  advice  Every user of this machine may read the database.\n          → chmod o= ',
    );
  });

  test('fails for every problem at once', async () => {
    writeFileSync(workspace.path('petstore.db'), 'garbage '.repeat(1_000), { mode: 0o600 });
    const { exitCode, stdout, stderr } = await doctor(
      '--limits',
      'redis://127.0.0.1:1',
      '--port',
      'http',
    );
    expect({ exitCode, stderr }).toEqual({
      exitCode: 1,
      stderr: 'petstore: 3 problems keep the service from running.\n',
    });
    for (const found of [
      /WRONG {3}--port must be a whole number .*\n +→ /,
      /WRONG {3}\S+petstore\.db is not a database, or is damaged\.\n +→ Stop the service/,
      /WRONG {3}redis:\/\/127\.0\.0\.1:1 cannot be used: .*\n +→ Check/,
    ]) {
      expect(stdout).toMatch(found);
    }
  });

  test('--json prints one value and nothing else', async () => {
    await workspace.output('migrate');
    const good = await doctor('--json');
    expect(good.exitCode).toBe(0);
    expect(good.stdout).toMatch(/^\{[^\n]+\}\n$/);
    expect(JSON.parse(good.stdout)).toMatchObject({
      verdict: 'advice',
      findings: expect.arrayContaining([
        { area: 'settings', verdict: 'good', found: 'All settings are valid.' },
      ]),
    });
    const bad = await doctor('--json', '--environment', 'test');
    expect(bad.exitCode).toBe(1);
    expect(bad.stderr).toBe('petstore: 1 problem keeps the service from running.\n');
    expect(JSON.parse(bad.stdout)).toMatchObject({
      verdict: 'bad',
      findings: expect.arrayContaining([
        expect.objectContaining({ area: 'settings', verdict: 'bad', todo: expect.any(String) }),
      ]),
    });
  });

  test('has colours on a terminal, unless they are turned off', async () => {
    await workspace.output('migrate');
    const { child, screen } = startOnTerminal(['doctor'], {
      ...PORTS,
      PETSTORE_DATABASE: workspace.address,
    });
    expect(await child.exited).toBe(0);
    const shown = await eventually(screen, (text) => text.includes('metrics'));
    expect(shown).toContain('\x1b[32mok');
    const plain = startOnTerminal(['doctor'], {
      ...PORTS,
      PETSTORE_DATABASE: workspace.address,
      NO_COLOR: '1',
    });
    expect(await plain.child.exited).toBe(0);
    const text = await eventually(plain.screen, (sent) => sent.includes('metrics'));
    expect(text).not.toContain('\x1b[');
  });
});
