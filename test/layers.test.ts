import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importsOf } from './architecture.ts';
import { filesOf, LAYERS, layersOf, matches, testFiles } from './layers.ts';

const ROOT = join(import.meta.dir, '..');
const files = testFiles();
const textOf = (path: string) => readFileSync(join(ROOT, path), 'utf8');

/** What starts a program, or asks for more rights than everybody has. */
const PROGRAMS = [
  ...['test/support/program.ts', 'test/support/browser.ts', 'test/support/postgres-server.ts'],
  ...['test/docs/python.ts', 'test/storage/small-disk.ts', 'test/conformance/tools.ts'],
];
/** These start one only where a variable asks for it. */
const CHOSEN = ['test/support/engines.ts', 'test/support/chosen-limits.ts'];

/** The programs that a file may start, by itself or through what it imports. */
function programsOf(path: string, seen = new Set<string>()): string[] {
  if (seen.has(path) || !path.startsWith('test/') || CHOSEN.includes(path)) return [];
  seen.add(path);
  if (PROGRAMS.includes(path)) return [path];
  return importsOf(path, textOf(path)).flatMap((target) => programsOf(target, seen));
}

describe('the layers of the tests', () => {
  test('share no file', () => {
    expect(files).toContain('test/layers.test.ts');
    expect(files.filter((file) => layersOf(file).length > 1)).toEqual([]);
  });

  test('name only files that exist', () => {
    const patterns = Object.values(LAYERS).flatMap(({ files: own, again = [] }) => [
      ...own,
      ...again,
    ]);
    const empty = patterns.filter((pattern) => !files.some((file) => matches([pattern], file)));
    expect(empty).toEqual([]);
  });

  test('are each run by a script and by CI', () => {
    const { scripts } = JSON.parse(textOf('package.json'));
    for (const name of Object.keys(LAYERS)) {
      expect(scripts[`test:${name}`]).toBe(`bun test/run.ts ${name}`);
      expect(textOf('.ci/run')).toMatch(new RegExp(`\\b${name}\\b`));
    }
  });

  test('run the interface on PostgreSQL too, except what the request alone decides', () => {
    const api = files.filter((file) => file.startsWith('test/api/'));
    const left = api.filter((file) => !filesOf('postgres', [file]).includes(file));
    expect(left.length).toBeGreaterThan(0);
    expect(left).toEqual(api.filter((file) => file.startsWith('test/api/requests/')));
  });

  test('need no program besides Node and npm if they are quick', () => {
    const needy = filesOf('quick', files).map((file) => [file, programsOf(file)] as const);
    expect(needy.filter(([, programs]) => programs.length > 0)).toEqual([]);
  });
});
