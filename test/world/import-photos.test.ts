import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test';
import { readdirSync } from 'node:fs';
import { zipSync } from 'fflate';
import { openStorage } from '../../src/storage/open.ts';
import { createWorkspace, expectFailure } from '../cli/workspace.ts';
import { eventually } from '../support/eventually.ts';
import { forAllTests, forEachTest } from '../support/lifetime.ts';
import { picture } from '../support/pictures.ts';
import { startPetstore } from '../support/start.ts';
import { type HttpReceiver, startReceiver } from '../webhooks/receivers.ts';

/** A network that the operator allows: elsewhere only https on the public internet is asked. */
const ALLOWED = '127.0.0.2';
const ENVIRONMENT = { PETSTORE_WEBHOOK_ALLOW: `${ALLOWED}/32` };

let jpeg: Uint8Array;
let other: Uint8Array;
let server: HttpReceiver;
/** What the server answers, by path. */
const answers = new Map<string, (times: number) => readonly [number, (Uint8Array | string)?]>();
beforeAll(async () => {
  jpeg = await picture(64, 48);
  other = await picture(64, 48, 'png', 7);
  server = await startReceiver(ALLOWED, ({ url = '' }, response) => {
    const times = server.requests.filter(({ path }) => path === url).length;
    const [status, body = ''] = answers.get(url)?.(times) ?? [404];
    response.writeHead(status, { location: '/a.jpg' }).end(body);
  });
  answers.set('/a.jpg', () => [200, jpeg]);
  answers.set('/b.png?token=secret', () => [200, other]);
  answers.set('/moved.jpg', () => [302]);
  answers.set('/page.html', () => [200, '<html>'.repeat(100)]);
});
afterAll(() => server[Symbol.asyncDispose]());
const at = (path: string) => `http://${ALLOWED}:${server.port}${path}`;
const asked = () => server.requests.map(({ method, path }) => `${method} ${path}`);

describe('the command fetches photos before it ends:', () => {
  let before = 0;
  const workspace = forEachTest(() => createWorkspace(ENVIRONMENT));
  beforeEach(() => {
    before = server.requests.length;
  });

  async function photos(): Promise<Record<string, number>> {
    const storage = await openStorage(workspace.address, 'production');
    const counts: Record<string, number> = {};
    for (const { id, name } of await workspace.animals()) {
      counts[name] = (await storage.photos.list(id))?.length ?? 0;
    }
    await storage.close();
    return counts;
  }

  test('each once, with what became of it; a second import fetches none again', async () => {
    const file = workspace.write(
      'animals.csv',
      `Id,Name,Species,Photo,photo2\n1,Rex,Dog,${at('/a.jpg')},${at('/b.png?token=secret')}\n` +
        `2,Mia,Cat,"${at('/moved.jpg')}, ${at('/page.html')}",${at('/gone.jpg')}\n`,
    );
    const summary = await workspace.output('import', file);
    expect(summary).toContain('photo2   photo\n');
    expect(summary).toContain('\nPhotos: 2 added, 0 there already, 3 not taken.\n');
    expect(summary).toContain('/moved.jpg: It leads to another address, which is not followed.\n');
    expect(summary).toContain('/gone.jpg: The server answered 404.\n');
    expect(summary).toContain('/page.html: ');
    expect(summary).not.toContain('secret');
    expect(await photos()).toEqual({ Rex: 2, Mia: 0 });
    expect(asked().slice(before).sort()).toEqual([
      ...['GET /a.jpg', 'GET /b.png?token=secret', 'GET /gone.jpg', 'GET /moved.jpg'],
      'GET /page.html',
    ]);
    const next = server.requests.length;
    const again = await workspace.output('import', file);
    expect(again).toContain('\nPhotos: 0 added, 2 there already, 3 not taken.\n');
    expect(asked().slice(next)).not.toContain('GET /a.jpg');
    // A photo that somebody removed does not come back, and an animal that does gets its own.
    const storage = await openStorage(workspace.address, 'production');
    const stamp = { at: Date.now(), keyId: null };
    const [rex] = await workspace.animals();
    const [first] = (await storage.photos.list(rex?.id ?? 0n)) ?? [];
    await storage.photos.remove(rex?.id ?? 0n, first?.id ?? 0n, stamp, () => {});
    await storage.close();
    await workspace.output('import', file);
    expect(await photos()).toEqual({ Rex: 1, Mia: 0 });
  }, 60_000);

  test('addresses in objects with sizes and in lists of them, at most 6, the largest', async () => {
    const sizes = { small: at('/small.jpg'), large: at('/a.jpg'), medium: at('/m.jpg') };
    const many = Array.from({ length: 9 }, (_, n) => ({ full: at(`/n${n}.jpg`) }));
    const file = workspace.write(
      'animals.json',
      JSON.stringify([
        { id: 'x', name: 'Rex', species: 'Dog', photos: [sizes] },
        { id: 'y', name: 'Mia', species: 'Cat', photos: many },
        { id: 'z', name: 'Bo', species: 'Cat', media: at('/a.jpg') },
      ]),
    );
    const summary = await workspace.output('import', file, '--external-id', 'id');
    expect(summary).toContain('Photos: 2 added, 0 there already, 6 not taken.');
    expect(await photos()).toEqual({ Rex: 1, Mia: 0, Bo: 1 });
  }, 60_000);

  test('none on other networks, none in a dry run, and none with --no-photos', async () => {
    const file = workspace.write(
      'animals.csv',
      `Id,Name,Species,Photo\n1,Rex,Dog,${at('/a.jpg')}\n2,Mia,Cat,http://127.0.0.1:${server.port}/a.jpg\n` +
        `3,Bo,Cat,https://10.1.2.3/a.jpg\n4,Al,Cat,https://[::1]/a.jpg\n`,
    );
    const dry = await workspace.output('import', file, '--dry-run');
    expect(dry).toContain('\n4 photos would be fetched.\n');
    await workspace.output('import', file, '--no-photos');
    expect(asked().slice(before)).toEqual([]);
    const summary = await workspace.output('import', file);
    expect(summary).toContain('Photos: 1 added, 0 there already, 3 not taken.');
    expect(summary).toContain('https://10.1.2.3/a.jpg: The URL must name a host on the public');
    expect(await photos()).toEqual({ Rex: 1, Mia: 0, Bo: 0, Al: 0 });
  }, 60_000);

  test('pictures in the ZIP beside the file, by external id, and export writes them again', async () => {
    const file = workspace.write(
      'animals.csv',
      'Id,Name,Species\nA1,Rex,Dog\nA1-2,Mia,Cat\nK/26,Bo,Cat\n',
    );
    workspace.write(
      'animals.zip',
      zipSync({
        'photos/A1-3.JPG': other,
        'photos/a1.jpg': jpeg,
        '__MACOSX/._A1.jpg': other,
        'A1-2.png': other,
        'k%2F26.jpg': new Uint8Array(500),
        'unknown.jpg': jpeg,
        'notes.txt': new Uint8Array(3),
      }),
    );
    const summary = await workspace.output('import', file);
    expect(summary).toContain('Photos: 3 added, 0 there already, 1 not taken.');
    expect(summary).toContain('1 picture of ');
    expect(await photos()).toEqual({ Rex: 2, Mia: 1, Bo: 0 });
    expect(await workspace.output('import', file)).toContain('0 added, 3 there already');
    const folder = workspace.path('out');
    const exported = await workspace.run('export', '--photos', folder);
    expect(exported.stderr).toBe(`petstore: 3 photos in ${folder}\n`);
    // A1-2.jpg is the photo of an animal of that id.
    expect(readdirSync(folder).sort()).toEqual(['A1-2.jpg', 'A1-3.jpg', 'A1.jpg']);
    expectFailure(await workspace.run('export', '--photos', folder), 1, /is not empty/);
  }, 60_000);

  test('a broken ZIP imports nothing', async () => {
    const file = workspace.write('animals.csv', 'Id,Name,Species\nA1,Rex,Dog\n');
    workspace.write('animals.zip', 'no zip');
    expectFailure(
      await workspace.run('import', file),
      1,
      /animals\.zip is no ZIP that can be read/,
    );
    expect(workspace.exists('petstore.db')).toBe(false);
  });
});

describe('the service fetches photos of POST /imports:', () => {
  const petstore = forAllTests(() => startPetstore({ settings: ENVIRONMENT }));

  async function imported(body: string, query = '') {
    const headers = { 'content-type': 'text/csv' };
    const response = await petstore.writer.send('POST', `/v1/imports${query}`, { headers, body });
    const { id } = JSON.parse(response.text);
    const done = await eventually(
      () => petstore.writer.get(`/v1/imports/${id}`),
      ({ text }) => /"status":"(?:completed|failed)"/.test(text),
    );
    return JSON.parse(done.text);
  }

  test('with counts in the import', async () => {
    const file = `Id,Name,Species,Photo\n1,Rex,Dog,${at('/a.jpg')}\n2,Mia,Cat,${at('/gone.jpg')}\n`;
    expect(await imported(file, '?dryRun=true')).toMatchObject({ photos: { found: 2, added: 0 } });
    expect(await imported(file, '?photos=false')).toMatchObject({ photos: { found: 0 } });
    expect(await imported(file)).toMatchObject({
      status: 'completed',
      photos: {
        ...{ found: 2, added: 1, known: 0, failed: 1 },
        problems: [`${at('/gone.jpg')}: The server answered 404.`],
      },
    });
    expect(await imported(file)).toMatchObject({ photos: { added: 0, known: 1, failed: 1 } });
    const [rex] = JSON.parse((await petstore.reader.get('/v1/pets?name=Rex')).text);
    const photos = JSON.parse((await petstore.reader.get(`/v1/pets/${rex.id}/photos`)).text);
    expect(photos).toHaveLength(1);
  }, 60_000);
});
