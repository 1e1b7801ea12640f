import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { settings } from '../../src/settings/settings.ts';

const OPERATING = readFileSync(join(import.meta.dir, '../../docs/OPERATING.md'), 'utf8');

/** The rows of the table of settings: variable and fallback. */
const rows = [...OPERATING.matchAll(/^\| `(PETSTORE_[A-Z_]+)` \| (?:`([^`]*)`)? ?\|/gm)];

describe('the table of settings in docs/OPERATING.md', () => {
  test('lists every setting exactly once', () => {
    const known = Object.values(settings).map(({ variable }) => variable);
    expect(rows.map(([, variable]) => variable).sort()).toEqual([...known].sort());
  });

  test.each(Object.values(settings))('states the fallback of $variable', (setting) => {
    const row = rows.find(([, variable]) => variable === setting.variable);
    expect(row?.[2] ?? '').toBe(setting.fallback);
  });
});
