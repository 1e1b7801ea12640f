import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IMPORT_TABLE } from '../architecture.ts';

const ARCHITECTURE = readFileSync(join(import.meta.dir, '../../docs/ARCHITECTURE.md'), 'utf8');

/** The paths in backticks in one cell of a table. */
function pathsIn(cell: string): string[] {
  return [...cell.matchAll(/`([^`]+)`/g)].map(([, path = '']) => path);
}

test('the map in docs/ARCHITECTURE.md equals the enforced import table', () => {
  const rows = ARCHITECTURE.split('\n').filter((line) => /^\| `[^`]+` \|/.test(line));
  const shown = rows.map((row) => {
    const [, part = '', , imports = ''] = row.split('|');
    return [pathsIn(part)[0] ?? '', pathsIn(imports).sort()] as const;
  });
  const enforced = IMPORT_TABLE.map(
    ([part, mayImport]) => [part, mayImport.filter((rule) => rule !== part).sort()] as const,
  );
  expect(shown).toEqual(enforced);
});
