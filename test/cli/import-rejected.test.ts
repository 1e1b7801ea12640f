import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace } from './workspace.ts';

const workspace = forEachTest(() => createWorkspace());

const REJECTED = 'animals.csv.rejected.csv';

/** The file of rejected rows. */
const rejected = (name = REJECTED) => readFileSync(workspace.path(name), 'utf8');

/** The names of all animals. */
const names = async () => (await workspace.animals()).map(({ name }) => name);

describe('a row that cannot become an animal', () => {
  test.each<[reason: string, row: string]>([
    ['the row has no name', ',1,,'],
    ['the row has no name', '\u00a0,1,,'],
    ['name must not contain control characters', 'a\u0007b,1,,'],
    ['name must have at most 255 characters', `${'x'.repeat(256)},1,,`],
    ['category id "" must be a 64-bit whole number', 'Rex,,,'],
    ['category id "9223372036854775808" must be a', 'Rex,9223372036854775808,,'],
    ['category id "1.5" must be a', 'Rex,1.5,,'],
    ['category id " 1" must be a', 'Rex, 1,,'],
    ['status "Somewhere" must be one of available, pending, sold', 'Rex,1,Somewhere,'],
    ['external id must not contain control characters', 'Rex,1,,"a\tb"'],
    // PostgreSQL cannot store this value; no database may get it.
    ['external id must not contain control characters', 'Rex,1,,a\0b'],
    ['the row has 5 columns where the header has 4', 'Rex,1,,,x'],
  ])('is rejected: %s', async (reason, row) => {
    const content = `name,categoryId,status,external_id\nAy,1,,\n${row}\nBo,1,,\n`;
    const summary = await workspace.importCsv(content);
    expect(summary).toContain(
      '2 new, 0 changed, 0 unchanged, 0 left out as asked, 0 repeated, 1 r',
    );
    expect(summary).toContain(workspace.path(REJECTED));
    expect(await names()).toEqual(['Ay', 'Bo']);
    const [header = '', line = '', ...rest] = rejected().split('\n');
    expect(header).toStartWith('line,reason,name,categoryId,status,external_id');
    expect(line.replaceAll('""', '"')).toMatch(new RegExp(`^3,"?${reason}`));
    expect(rest).toEqual(['']);
  });

  test.each<[reason: string, row: string, ...flags: string[]]>([
    ['category must not be empty', 'Rex,,x', '--category', 'kind'],
    ['category must have at most 100', `Rex,${'x'.repeat(101)},x`, '--category', 'kind'],
    ['category must not contain control characters', 'Rex,a\0b,x', '--category', 'kind'],
    ['external id must not be empty', 'Rex,1, ', '--category-id', 'kind', '--external-id', 'ref'],
    ['the row has no name', ' ,1,x', '--category-id', 'kind', '--name', 'name'],
    ['status "x" must be in --status-map', 'Rex,1,x', '--status', 'ref', '--status-map', 'y=sold'],
  ])('is rejected under its flags: %s', async (reason, row, ...flags) => {
    const kind = flags.some((flag) => flag.startsWith('--category'))
      ? []
      : ['--category-id', 'kind'];
    await workspace.importCsv(`name,kind,ref\n${row}\n`, ...flags, ...kind);
    expect(rejected().replaceAll(`""`, `"`)).toContain(reason);
    expect(await workspace.animals()).toEqual([]);
  });

  test('is reported with the line on which it starts', async () => {
    await workspace.importCsv(
      'name,categoryId,note\r\n' +
        'Ay,1,"two\r\nlines"\r\n' +
        '\r\n' +
        ',1,"a\nb\r\n\r\nc"\r\n' +
        'Bo,1,\r\n' +
        ',1,d\r\n',
    );
    expect(rejected()).toBe(
      'line,reason,name,categoryId,note\n' +
        '5,the row has no name,,1,"a\nb\r\n\r\nc"\n' +
        '10,the row has no name,,1,d\n',
    );
  });

  test('keeps its columns, and can be imported after a correction', async () => {
    await workspace.importCsv('name,categoryId\n" a, ""b""",x\nRex,1,2,3\n');
    expect(rejected()).toBe(
      'line,reason,name,categoryId,,\n' +
        '2,"category id ""x"" must be a 64-bit whole number"," a, ""b""",x,,\n' +
        '3,the row has 4 columns where the header has 2,Rex,1,2,3\n',
    );
    const corrected = workspace.write('corrected.csv', rejected().replace('b""",x,', 'b""",5,'));
    expect(await workspace.output('import', corrected)).toContain('2 new');
    expect(await names()).toEqual([' a, "b"', 'Rex']);
  });

  test('is shown by a dry run, which writes no file', async () => {
    const rows = Array.from({ length: 12 }, (_, i) => `,${i}\n`).join('');
    const content = `name,categoryId\nRex,1\n${rows}`;
    const summary = await workspace.importCsv(content, '--dry-run');
    expect(summary).toContain(
      '1 new, 0 changed, 0 unchanged, 0 left out as asked, 0 repeated, 12 r',
    );
    expect(summary).toContain('  line 3: the row has no name\n');
    expect(summary).toContain('  and 2 more\n');
    expect(workspace.exists(REJECTED)).toBe(false);
  });

  test('removes the file of an earlier import if there are none now', async () => {
    await workspace.importCsv('name,categoryId\n,1\n');
    expect(workspace.exists(REJECTED)).toBe(true);
    const summary = await workspace.importCsv('name,categoryId\nRex,1\n');
    expect(summary).not.toContain('rejected.csv');
    expect(workspace.exists(REJECTED)).toBe(false);
  });

  test('is left out rather than rejected if the map says so', async () => {
    const summary = await workspace.importCsv(
      'name,categoryId,status\n,x,gone\n',
      ...['--status-map', 'gone=skip'],
    );
    expect(summary).toContain('1 left out as asked, 0 repeated, 0 rejected');
  });

  test('imports nothing when its file cannot be written', async () => {
    await Bun.write(workspace.path(`${REJECTED}/in-the-way`), '');
    const path = workspace.write('animals.csv', 'name,categoryId\nRex,1\n,1\n');
    const { exitCode, stderr } = await workspace.run('import', path);
    expect(exitCode).toBe(1);
    expect(stderr).toContain(`rejected rows go to ${path}.rejected.csv, which cannot be written`);
    expect(await workspace.animals()).toEqual([]);
  });

  test('of NDJSON is reported with its line and text', async () => {
    const lines = [
      '{"name":"Rex","categoryId":1}',
      '',
      '{"name":"Rex","categoryId":1',
      '[1]',
      '{"name":{},"categoryId":1}',
      '{"name":"\\ud800","categoryId":1}',
      '{"name":true,"categoryId":1}',
      '{"name":"Rex","categoryId":9223372036854775808}',
      '{"name":"Rex"}',
    ];
    const path = workspace.write('animals.ndjson', lines.join('\n'));
    expect(await workspace.output('import', path)).toContain('1 new');
    const reasons = rejected('animals.ndjson.rejected.csv').split('\n');
    expect(reasons[0]).toBe('line,reason,row');
    expect(reasons[1]).toBe('3,the line is not a JSON object,"{""name"":""Rex"",""categoryId"":1"');
    expect(reasons.slice(2).map((line) => line.replaceAll('""', '"'))).toEqual([
      '4,the line is not a JSON object,[1]',
      expect.stringContaining('"name" must be a string or a number'),
      expect.stringContaining('6,name must not contain half of a surrogate pair'),
      expect.stringContaining('must be a string or a number'),
      expect.stringContaining('category id "9223372036854775808" must be'),
      expect.stringContaining('category id "" must be'),
      '',
    ]);
  });

  test('of NDJSON and JSON is one that repeats a member or is nested too deeply, as bodies are refused', async () => {
    const repeats = [
      '{"name":"First","name":"Second","categoryId":1}',
      '{"name":"A","b":{"c":1,"\\u0063":2}}',
    ];
    const deep = `${'{"a":'.repeat(8_000)}1${'}'.repeat(8_000)}`;
    const rex = '{"name":"Rex","categoryId":1}';
    const lines = workspace.write('animals.ndjson', [deep, ...repeats, rex].join('\n'));
    expect(await workspace.output('import', lines)).toContain('1 new');
    const reasons = rejected('animals.ndjson.rejected.csv').split('\n');
    expect(reasons.slice(1, -1).map((line) => line.split(',')[1])).toEqual([
      'the line is nested too deeply',
      'the line repeats a member of its JSON object',
      'the line repeats a member of its JSON object',
    ]);
    const array = workspace.write('animals.json', `[${[...repeats, rex].join()}]`);
    expect(await workspace.output('import', array)).toContain('2 rejected');
    const { stderr } = await workspace.run('import', workspace.write('deep.ndjson', deep));
    expect(stderr).toContain('holds no JSON object with columns: line 1: the line is nested too');
  });
});
