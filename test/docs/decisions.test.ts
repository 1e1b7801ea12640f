import { describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dir, '../../docs/decisions');
const read = (name: string) => readFileSync(join(FOLDER, name), 'utf8');
const records = readdirSync(FOLDER).filter((name) => name !== 'README.md');
const titleOf = (text: string) => text.slice('# '.length, text.indexOf('\n'));

describe('the decision records', () => {
  test.each(records)('%s has the common form', (name) => {
    const [title = '', blank, status, ...rest] = read(name).split('\n');
    expect(title).toStartWith(`# ${Number(name.slice(0, 4))}. `);
    expect(blank).toBe('');
    expect(status).toMatch(
      /^Status: (?:accepted|replaced by \[.+\]\(.+\)), \d{1,2} [A-Z][a-z]+ \d{4}$/,
    );
    const sections = rest.filter((line) => line.startsWith('## '));
    const required = ['## Context', '## Decision', '## Consequences'];
    expect([required, [...required, '## Figures']]).toContainEqual(sections);
  });

  test('are numbered without a gap', () => {
    const numbers = records.map((name) => Number(name.slice(0, 4))).sort((a, b) => a - b);
    expect(numbers).toEqual(records.map((_, index) => index + 1));
  });

  test('are all in the index, with their titles', () => {
    const entries = read('README.md')
      .split('\n')
      .filter((line) => line.startsWith('- '));
    const expected = records.toSorted().map((name) => `- [${titleOf(read(name))}](${name})`);
    expect(entries).toEqual(expected);
  });
});
