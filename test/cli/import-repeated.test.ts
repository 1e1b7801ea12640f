import { describe, expect, test } from 'bun:test';
import type { PetChange } from '../../src/domain/pet.ts';
import { openStorage } from '../../src/storage/open.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { forEachTest } from '../support/lifetime.ts';
import { createWorkspace, expectFailure } from './workspace.ts';

const FLAGS = [
  ...['--name', 'Name', '--category', 'Species', '--status', 'Outcome', '--external-id', 'Id'],
  ...['--status-map', 'Adopted=sold,Here=available,Gone=skip'],
];
const HEADER = 'Id,Name,Species,Outcome\n';
const ROWS = ['A1,Rex,Dog,Here', 'A2,Tom,Cat,Here', 'A3,Luna,Dog,Here'];

const workspace = forEachTest(() => createWorkspace());

const importRows = (rows: readonly string[], ...flags: string[]) =>
  workspace.importCsv(`${HEADER}${rows.join('\n')}\n`, ...FLAGS, ...flags);
const animals = async () =>
  (await workspace.animals()).map(({ name, status }) => `${name}: ${status}`);

/** Changes the database between two imports. */
async function inTheDatabase(work: (database: Awaited<ReturnType<typeof openStorage>>) => unknown) {
  const storage = await openStorage(workspace.address, 'production');
  await work(storage);
  await storage.close();
}
const change = (id: bigint, parts: PetChange) =>
  inTheDatabase(({ pets }) => pets.update(id, parts, CHANGE_STAMP, () => {}));

describe('a file imported again', () => {
  test('keeps changes and deletions made in the database, and says so', async () => {
    await importRows(ROWS);
    await change(1n, { name: 'Rex the Great', status: 'sold' });
    await inTheDatabase(({ pets }) => pets.remove(2n, CHANGE_STAMP, () => {}));
    for (const flags of [['--dry-run'], [], []]) {
      const summary = await importRows(ROWS, ...flags);
      expect(summary).toContain('\n0 new, 0 changed, 3 unchanged, 0 left out');
      expect(summary).toContain(
        '\n1 animal changed in the database and 1 removed from it stay that way, because their rows ' +
          'are the same as in the last import. Use --overwrite to let the file win.\n',
      );
      expect(await animals()).toEqual(['Rex the Great: sold', 'Luna: available']);
    }
  });

  test('does not change an animal held by an open order, and says so', async () => {
    await importRows(ROWS);
    await inTheDatabase(({ orders }) =>
      orders.place({ petId: 1n, adopter: undefined }, CHANGE_STAMP),
    );
    const sold = ['A1,Rex,Dog,Adopted', ...ROWS.slice(1)];
    for (const flags of [['--dry-run'], [], ['--overwrite']]) {
      expect(await importRows(sold, ...flags)).toContain(
        '\n1 animal was left unchanged: an open order holds the status.\n',
      );
    }
    expect((await animals())[0]).toBe('Rex: pending');
  });

  test('wins with --overwrite', async () => {
    await importRows(ROWS);
    await change(1n, { status: 'sold' });
    await inTheDatabase(({ pets }) => pets.remove(2n, CHANGE_STAMP, () => {}));
    const rehearsal = await importRows(ROWS, '--overwrite', '--dry-run');
    expect(rehearsal).toContain('\n1 new, 1 changed, 1 unchanged,');
    expect(await animals()).toEqual(['Rex: sold', 'Luna: available']);
    const summary = await importRows(ROWS, '--overwrite');
    expect(summary).toContain('\n1 new, 1 changed, 1 unchanged,');
    expect(summary).not.toContain('changed in the database');
    expect(await animals()).toEqual(['Rex: available', 'Luna: available', 'Tom: available']);
  });

  test('changes the animals whose rows have changed, and only those', async () => {
    await importRows(ROWS);
    await change(1n, { name: 'Max' });
    await change(3n, { name: 'Lunetta' });
    const rows = ROWS.with(0, 'A1,Rex,Dog,Adopted').with(1, 'A2,Tomcat,Cat,Here');
    const summary = await importRows(rows);
    expect(summary).toContain('\n0 new, 2 changed, 1 unchanged,');
    expect(await animals()).toEqual(['Rex: sold', 'Tomcat: available', 'Lunetta: available']);
  });

  test('counts as unchanged if only an unread column differs', async () => {
    const content = (note: string) => `Id,Name,Species,Outcome,Note\nA1,Rex,Dog,Here,${note}\n`;
    await workspace.importCsv(content('young'), ...FLAGS);
    await change(1n, { name: 'Max' });
    const summary = await workspace.importCsv(content('old'), ...FLAGS);
    expect(summary).toContain('\n0 new, 0 changed, 1 unchanged,');
    expect(await animals()).toEqual(['Max: available']);
  });

  test('is still known after a backup and a restore', async () => {
    await importRows(ROWS);
    await inTheDatabase(({ pets }) => pets.remove(2n, CHANGE_STAMP, () => {}));
    const backup = workspace.path('shop.backup');
    await workspace.output('backup', backup);
    const flags = ['--database', `sqlite:${workspace.path('restored.db')}`];
    await workspace.output('restore', backup, ...flags);
    const summary = await importRows(ROWS, ...flags);
    expect(summary).toContain('\n0 new, 0 changed, 3 unchanged,');
    expect(summary).toContain(
      '\n0 animals changed in the database and 1 removed from it stay that way',
    );
  });
});

describe('a row that the status map leaves out', () => {
  const GONE = ['A1,Rex,Dog,Gone', 'A2,Tom,Cat,Gone', 'A3,Luna,Dog,Here'];
  const expected =
    '\n2 animals whose rows are left out are still published (ids 1, 2). An import removes no ' +
    'animal: remove them with DELETE /v1/pets/{id}, or set the status to sold.\n';

  test('is reported while its animal is still published', async () => {
    await importRows(ROWS);
    for (const flags of [['--dry-run'], [], []]) {
      expect(await importRows(GONE, ...flags)).toContain(expected);
    }
    await inTheDatabase(({ pets }) => pets.remove(1n, CHANGE_STAMP, () => {}));
    expect(await importRows(GONE)).toContain(
      '\n1 animal whose row is left out is still published (id 2). An import removes no animal: ' +
        'remove it with DELETE /v1/pets/{id}, or set the status to sold.\n',
    );
    await change(2n, { status: 'sold' });
    expect(await importRows(GONE)).not.toContain('still published');
  });

  test('is not reported for an animal that was never imported or that another row names', async () => {
    await importRows(ROWS);
    const rows = ['A1,Rex,Dog,Gone', ...ROWS, 'A4,Max,Dog,Gone', ',Kim,Dog,Gone'];
    expect(await importRows(rows)).not.toContain('still published');
  });

  test('is reported with the first five ids, in order', async () => {
    const rows = (outcome: string) =>
      Array.from({ length: 1_007 }, (_, i) => `B${i},Rex,Dog,${outcome}`);
    await importRows(rows('Here'));
    expect(await importRows(rows('Gone').reverse())).toContain(
      '\n1,007 animals whose rows are left out are still published (ids 1, 2, 3, 4, 5 and 1,002 more).',
    );
  });

  test('is found in NDJSON, and not rejected for missing members', async () => {
    const line = (status: string, id: string) =>
      `{"name":"Rex","categoryId":1,"status":"${status}","external_id":${id}}\n`;
    const map = ['--status-map', 'Here=available,Gone=skip'];
    const path = workspace.write('animals.ndjson', line('Here', '"N1"'));
    await workspace.output('import', path, ...map);
    workspace.write('animals.ndjson', line('Gone', '"N1"') + line('Gone', 'null'));
    const summary = await workspace.output('import', path, ...map);
    expect(summary).toContain('2 left out as asked, 0 repeated, 0 rejected;');
    expect(summary).toContain('\n1 animal whose row is left out is still published (id 1).');
  });
});

test('--overwrite is refused for a file without external ids', async () => {
  const path = workspace.write('animals.csv', 'name,categoryId\nRex,1\n');
  const finished = await workspace.run('import', path, '--overwrite');
  expectFailure(finished, 1, /--overwrite needs --external-id.*nothing was imported/);
  expect(workspace.exists('petstore.db')).toBe(false);
});

describe('the summary names the changes', () => {
  test('by external id and name, with the old values', async () => {
    await importRows(ROWS);
    const rows = ['A1,Max,Wolf,Adopted', 'A2,Tom,cat,Adopted', 'A3,Luna,Dog,Here'];
    const expected =
      '\nChanged:\n' +
      '  A1 "Rex": name now "Max", status available → sold, category Dog → Wolf\n' +
      '  A2 "Tom": status available → sold\n';
    for (const flags of [['--dry-run'], []]) {
      expect(await importRows(rows, ...flags)).toContain(expected);
    }
    expect(await importRows(rows)).not.toContain('Changed:');
  });

  test('by id, if the category has no name', async () => {
    const content = (id: number) => `name,categoryId,external_id\nRex,${id},A1\n`;
    await workspace.importCsv(content(5));
    expect(await workspace.importCsv(content(6))).toContain('\n  A1 "Rex": category 5 → 6\n');
  });

  test('in at most five lines, whatever the number of batches', async () => {
    const rows = (name: string) =>
      Array.from({ length: 2_300 }, (_, i) => `B${i},${name},Dog,Here`);
    await importRows(rows('Rex'));
    const [, named = ''] = (await importRows(rows('Max'))).split('Changed:\n');
    expect(named.split('\n')).toEqual([
      ...[0, 1, 2, 3, 4].map((i) => `  B${i} "Rex": name now "Max"`),
      '  and 2,295 more',
      '',
    ]);
  });
});
