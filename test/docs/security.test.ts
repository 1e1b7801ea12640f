import { describe, expect, test } from 'bun:test';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dir, '../..');
const text = readFileSync(join(ROOT, 'SECURITY.md'), 'utf8');

/** The threats, each with its title in the first line. */
const threats = text.split(/^### (?=API\d)/m).slice(1);

const testsIn = (part: string) =>
  [...part.matchAll(/`(test\/[^`]+)`/g)].map(([, path = '']) => path);

describe('SECURITY.md', () => {
  test('covers each of the OWASP API Security Top 10, in order', () => {
    const numbers = threats.map((threat) => Number(/^API(\d+)/.exec(threat)?.[1]));
    expect(numbers).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]);
  });

  test('names a test for each threat', () => {
    for (const threat of threats) expect(testsIn(threat)).not.toEqual([]);
  });

  test('names existing files that contain tests', () => {
    const paths = testsIn(text);
    expect(paths.length).toBeGreaterThan(20);
    for (const path of paths) {
      expect([path, existsSync(join(ROOT, path))]).toEqual([path, true]);
      expect(readFileSync(join(ROOT, path), 'utf8')).toMatch(/\btest[.(]/);
    }
  });
});
