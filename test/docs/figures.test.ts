import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSampleAnimals } from '../../src/cli/sample-animals.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createWorkspace } from '../cli/workspace.ts';

const read = (path: string) => readFileSync(join(import.meta.dir, '../..', path), 'utf8');
const scaling = read('docs/SCALING.md');

const results = read('bench/RESULTS.md').split('\n## ');

/** Responses a second of our service in bench/RESULTS.md, in thousands: lists, one animal, additions. */
const measured = ['GET /v1/pets (20', 'GET /v1/pets/{petId} (1000', 'POST /v1/pets '].map(
  (title) => {
    const section = results.find((text) => text.startsWith(title)) ?? '';
    const [, responses = ''] = /^\| ours +\|[ |]*\| *([\d,]+) \(/m.exec(section) ?? [];
    return Math.round(Number(responses.replace(',', '')) / 1000);
  },
);

describe('docs/SCALING.md', () => {
  test('states the responses per second of bench/RESULTS.md', () => {
    const table = /CPU of the instance \|\n.*\n((?:\|.*\n)+)/.exec(scaling)?.[1] ?? '';
    const shown = [...table.matchAll(/\| (\d+),000 \|/g)].map(([, thousands]) => Number(thousands));
    expect(measured.every((thousands) => thousands > 0)).toBe(true);
    expect(shown).toEqual(measured);
  });

  test('states the same rates in its first step', () => {
    const [, lists, additions] =
      /(\d+),000 lists or (\d+),000 durable additions a second on one core/.exec(scaling) ?? [];
    expect([lists, additions].map(Number)).toEqual([measured[0] ?? 0, measured[2] ?? 0]);
  });
});

describe('docs/BACKUP.md', () => {
  test('shows the real output of a backup of the sample animals', async () => {
    using workspace = createWorkspace();
    const storage = await openStorage(workspace.address, 'production');
    await importSampleAnimals(storage);
    await storage.close();
    await workspace.output('keys', 'create', '--name', 'first key', '--plan', 'pro');
    const output = await workspace.output('backup', workspace.path('shop.backup'));
    const [shown = ''] = /\d+ animals, .*? webhooks? \(/.exec(read('docs/BACKUP.md')) ?? [];
    expect(shown).not.toBe('');
    expect(output).toContain(shown);
  });
});
