import { describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace } from './workspace.ts';

const workspace = forEachTest(() => createWorkspace());

/** Does a dry run of a file with a status column; returns the report on its values. */
async function reportedValues(content: string, ...flags: string[]): Promise<string> {
  const summary = await workspace.importCsv(
    content,
    '--category-id',
    'kind',
    ...flags,
    '--dry-run',
  );
  expect(readdirSync(workspace.path('.'))).toEqual(['animals.csv']);
  return summary.slice(summary.indexOf('Values of'));
}

describe('a dry run counts the values of the status column', () => {
  const rows = (outcome: string, count: number) => `Rex,1,${outcome}\n`.repeat(count);
  const content =
    'name,kind,Outcome\n' +
    rows('Adopted', 12) +
    rows('Died', 2) +
    rows('', 3) +
    rows('Fostered', 1_100) +
    'broken\n';

  test('and shows what each becomes', async () => {
    const map = ['--status', 'Outcome', '--status-map', 'Adopted=sold,Died=skip,*=available'];
    expect(await reportedValues(content, ...map)).toBe(
      'Values of the column "Outcome" and what they become:\n' +
        '  1,100  Fostered  available\n' +
        '     12  Adopted   sold\n' +
        '      4  (empty)   available\n' +
        '      2  Died      left out\n',
    );
  });

  test('and shows which are rejected', async () => {
    const map = ['--status', 'Outcome', '--status-map', 'Adopted=sold,=available'];
    const report = await reportedValues(content, ...map);
    expect(report).toContain('  1,100  Fostered  rejected\n');
    expect(report).toContain('      2  Died      rejected\n');
    expect(report).toContain('      4  (empty)   available\n');
  });

  test('without a map too', async () => {
    const report = await reportedValues(
      'name,kind,status\nA,1,sold\nB,1,sold\nC,1,\nD,1,Somewhere\n',
    );
    expect(report).toBe(
      'Values of the column "status" and what they become:\n' +
        '  2  sold       sold\n' +
        '  1  (empty)    available\n' +
        '  1  Somewhere  rejected\n',
    );
  });

  test('and shows a few of many, none of them long', async () => {
    const many = Array.from({ length: 30 }, (_, i) => `A,1,value ${i}\n`).join('');
    const long = `A,1,"${'x'.repeat(300)}"\n`.repeat(2);
    const report = await reportedValues(
      `name,kind,status\n${many}${long}`,
      '--status-map',
      '*=sold',
    );
    const lines = report.split('\n');
    expect(lines).toHaveLength(1 + 20 + 2);
    expect(lines[1]).toBe(`  2  ${'x'.repeat(39)}…  sold`);
    expect(lines.at(-2)).toBe('  and 11 more values');
  });

  test('or reports that the column is missing', async () => {
    const summary = await workspace.importCsv('name,categoryId\nRex,1\n', '--dry-run');
    expect(summary).toContain(
      '\nThere is no column "status", so every animal becomes available.\n',
    );
  });

  test('and an import that writes does not', async () => {
    expect(await workspace.importCsv('name,categoryId\nRex,1\n')).not.toMatch(
      /[Vv]alues|There is no column/,
    );
  });
});

describe('rows without a name', () => {
  const content = 'N,Kind,Id\n,Dog,1\n" ",Cat,2\nRex,Dog,3\n';
  const flags = ['--name', 'N', '--category', 'Kind', '--external-id', 'Id'];
  const advice = "\n2 rows were rejected without a name: --unnamed 'Unnamed {Kind} {Id}' gives";

  test('lead to advice that works', async () => {
    expect(await workspace.importCsv(content, ...flags, '--dry-run')).toContain(advice);
    expect(await workspace.importCsv(content, ...flags)).toContain(advice);
    const summary = await workspace.importCsv(
      content,
      ...flags,
      '--unnamed',
      'Unnamed {Kind} {Id}',
    );
    expect(summary).toContain('\n2 new, 0 changed, 1 unchanged,');
    expect(summary).not.toContain('--unnamed');
    const names = (await workspace.animals()).map(({ name }) => name);
    expect(names).toEqual(['Rex', 'Unnamed Dog 1', 'Unnamed Cat 2']);
  });

  test('lead to none if there are other problems', async () => {
    const summary = await workspace.importCsv('name,categoryId\nRex,x\n"a\u0007b",1\n');
    expect(summary).toContain('2 rejected');
    expect(summary).not.toContain('--unnamed');
  });

  test('lead to advice with columns of the file', async () => {
    const summary = await workspace.importCsv('name,categoryId\n,1\n');
    expect(summary).toContain(
      "1 row was rejected without a name: --unnamed 'Unnamed {categoryId}'",
    );
  });
});
