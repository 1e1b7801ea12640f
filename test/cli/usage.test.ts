import { beforeEach, describe, expect, test } from 'bun:test';
import { usageText } from '../../src/cli/usage.ts';
import { DAY_MS, HOUR_MS } from '../../src/domain/clock.ts';
import { openStorage } from '../../src/storage/open.ts';
import { eventually } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { startServing } from '../support/serving.ts';
import { startOnTerminal } from '../support/terminal.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const today = () => Math.floor(Date.now() / DAY_MS) * DAY_MS;
const dayText = (time: number) => new Date(time).toISOString().slice(0, 10);

const workspace = forEachTest(() => createWorkspace());
beforeEach(async () => {
  for (const name of ['Web site', 'Mirror']) {
    await workspace.output('keys', 'create', '--name', name, '--plan', 'pro');
  }
});

async function count(keyId: bigint, daysAgo: number, requests: number, refused = 0, errors = 0) {
  const storage = await openStorage(workspace.address, 'production');
  const start = today() - daysAgo * DAY_MS + (daysAgo === 0 ? 0 : HOUR_MS);
  await storage.usage.add([{ keyId, start, requests, refused, errors }]);
  await storage.close();
}

describe('petstore usage', () => {
  test('draws all keys by day, and lists the busiest', async () => {
    await count(1n, 2, 1_200, 3, 1);
    await count(2n, 1, 600);
    await count(2n, 0, 5);
    expect((await workspace.output('usage', '--days', '4')).split('\n')).toEqual([
      'All keys: requests in the last 4 days, by day of UTC',
      '',
      '       DAY  REQUESTS  REFUSED  ERRORS',
      `${dayText(today() - 3 * DAY_MS)}         0        0       0`,
      `${dayText(today() - 2 * DAY_MS)}     1,200        3       1  ${'#'.repeat(41)}`,
      `${dayText(today() - DAY_MS)}       600        0       0  ${'#'.repeat(21)}`,
      `${dayText(today())}         5        0       0  #`,
      '',
      'The busiest keys',
      '',
      'ID  REQUESTS  REFUSED  ERRORS  NAME',
      ' 1     1,200        3       1  Web site',
      ' 2       605        0       0  Mirror',
      '',
    ]);
  });

  test('draws one key, with the characters of the locale', async () => {
    await count(1n, 0, 7);
    await count(2n, 0, 1);
    const { child, screen } = startOnTerminal(['usage', '1', '--days', '1'], {
      PETSTORE_DATABASE: workspace.address,
      LANG: 'C.UTF-8',
    });
    expect(await child.exited).toBe(0);
    const shown = await eventually(screen, (text) => text.includes('█'));
    expect(shown).toContain('Key 1 (Web site): requests today, by day of UTC');
    // The terminal has 200 columns.
    expect(shown).toContain(`         7        0       0  ${'█'.repeat(161)}\n`);
    for (const text of ['busiest', '\u001b']) expect(shown).not.toContain(text);
  });

  test('prints JSON', async () => {
    await count(2n, 1, 5, 2, 1);
    const none = { requests: 0, refused: 0, errors: 0 };
    const used = { requests: 5, refused: 2, errors: 1 };
    const days = [
      { start: new Date(today() - DAY_MS).toISOString(), ...used },
      { start: new Date(today()).toISOString(), ...none },
    ];
    expect(JSON.parse(await workspace.output('usage', '--days', '2', '--json'))).toEqual({
      days,
      busiest: [{ id: 2, name: 'Mirror', ...used }],
    });
    const ofKey = await workspace.output('usage', '2', '--days', '2', '--json');
    expect(JSON.parse(ofKey)).toEqual({ key: 2, days });
  });

  test('says that nothing was sent', async () => {
    expect(await workspace.output('usage')).toBe('All keys: no requests in the last 30 days.\n');
    expect(await workspace.output('usage', '2', '--days', '400')).toBe(
      'Key 2 (Mirror): no requests in the last 400 days.\n',
    );
  });

  test('refuses a wrong key and a wrong number of days', async () => {
    expectFailure(await workspace.run('usage', '9'), 1, /no key with the id 9/);
    expectFailure(await workspace.run('usage', 'x'), 2, /must be a whole number/);
    for (const days of ['0', '401', '1.5', 'all']) {
      expectFailure(await workspace.run('usage', '--days', days), 2, /from 1 to 400/);
    }
  });

  test('shows what a running server has counted', async () => {
    const settings = { PETSTORE_DATABASE: workspace.address };
    await using serving = await startServing(settings);
    for (let i = 0; i < 3; i++) await serving.client.get('/v1/pets');
    const shown = async () =>
      JSON.parse(await workspace.output('usage', '3', '--days', '1', '--json')).days[0]?.requests;
    expect(await eventually(shown, (requests) => requests === 3)).toBe(3);
  });
});

test('a terminal that is too narrow for bars shows only the numbers', () => {
  const days = [{ start: 0, requests: 1_000_000, refused: 0, errors: 0 }];
  for (const columns of [1, 20, 45]) {
    const text = usageText({ days }, { columns, bar: '#' });
    expect(text).toContain('1970-01-01  1,000,000');
    expect(text).not.toContain('#');
  }
  const wide = usageText({ days }, { columns: 60, bar: '#' });
  expect(Math.max(...wide.split('\n').map((line) => line.length))).toBe(60);
});
