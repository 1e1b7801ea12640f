import { describe, expect, test } from 'bun:test';
import { REASON_MAX } from '../../../src/domain/import.ts';
import { ROWS_MAX } from '../../../src/import/run-task.ts';
import { numbered } from '../../storage/change-recorder.ts';
import type { Client, SentHeaders } from '../../support/client.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const CSV: SentHeaders = { 'content-type': 'text/csv' };
const NDJSON: SentHeaders = { 'content-type': 'application/x-ndjson' };

const petstore = forAllTests(() => startPetstore());

const start = (body: Bun.BodyInit, query = '', headers = CSV, client = petstore.writer) =>
  client.send('POST', `/v1/imports${query}`, { headers, body });

/** The import in its final state. */
async function ended(id: string, client: Client = petstore.writer): Promise<Imported> {
  const path = `/v1/imports/${id}`;
  const response = await eventually(
    () => client.get(path),
    ({ text }) => /"status":"(?:completed|failed)"/.test(text),
  );
  return JSON.parse(response.text);
}

type Imported = Record<string, unknown> & { readonly id: number };

/** Imports a file to its end. */
async function imported(
  body: Bun.BodyInit,
  query = '',
  headers = CSV,
  client = petstore.writer,
): Promise<Imported> {
  const response = await start(body, query, headers, client);
  expect(response.status).toBe(202);
  const { id, status } = JSON.parse(response.text);
  expect(status).toBe('queued');
  expect(response.headers.get('location')).toBe(`${petstore.baseUrl}/imports/${id}`);
  return await ended(id);
}

test('an import over HTTP fills profiles, publishes if asked, and counts what it does not understand', async () => {
  const file = 'name,categoryId,Type,Born\nUrsa,1,Dog,13/02/2020\nUrbi,1,Dragon,02/03/2020\n';
  const done = await imported(file, '?species=Type&birthDate=Born&publish=true');
  expect(done).toMatchObject({
    created: 2,
    rejected: 0,
    unread: [{ part: 'species', rows: 1, example: 'Dragon' }],
  });
  const profile = async (name: string) => {
    const [pet] = await animals(`name=${name}`);
    return JSON.parse((await petstore.writer.get(`/v1/pets/${pet?.['id']}/profile`)).text);
  };
  expect(await profile('Ursa')).toMatchObject({
    species: 'dog',
    birthDate: '2020-02-13',
    published: true,
  });
  expect(await profile('Urbi')).toMatchObject({ species: null, birthDate: '2020-03-02' });
  expect(await imported(file, '?species=Art')).toMatchObject({
    failure: { message: expect.stringContaining('"Art", which the parameter species names') },
  });
});

test('a German sheet as Excel saves it is read as it is meant', async () => {
  const file = `sep=;
Rufname;Tierart;Geschlecht;Geboren;Gewicht (kg)
Xaver;Hund;männlich kastriert;24.12.2019;12,5
Xenia;Katze;w;03/05/2021;1,234
Xerxes;Pferd;Hengst;2021-05-03;450
;Hund;m;;
`;
  const done = await imported(
    file.replaceAll('\n', '\r\n'),
    '?name=Rufname&category=Tierart&species=Tierart&sex=Geschlecht&birthDate=Geboren&weightGrams=Gewicht%20(kg)',
  );
  expect(done).toMatchObject({
    created: 3,
    rejectedRows: [{ line: 6, reason: 'the row has no name' }],
    unread: [
      { part: 'birthDate', rows: 1, example: '03/05/2021' },
      { part: 'weightGrams', rows: 1, example: '1,234' },
    ],
  });
  const profile = async (name: string) => {
    const [pet] = await animals(`name=${name}`);
    return JSON.parse((await petstore.writer.get(`/v1/pets/${pet?.['id']}/profile`)).text);
  };
  expect(await profile('Xaver')).toMatchObject({
    ...{ species: 'dog', sex: 'male', neutered: true, birthDate: '2019-12-24' },
    weightGrams: 12_500,
  });
  expect(await profile('Xenia')).toMatchObject({ species: 'cat', sex: 'female', birthDate: null });
  expect(await profile('Xerxes')).toMatchObject({ birthDate: '2021-05-03', weightGrams: 450_000 });
});

async function animals(query: string): Promise<Record<string, unknown>[]> {
  return JSON.parse((await petstore.reader.get(`/v1/pets?${query}`)).text);
}

describe('an import over HTTP', () => {
  test('maps columns as the command does, and counts what happened', async () => {
    const file = [
      'Id,Animal,Kind,Outcome',
      'H1,Zora,Hamster,',
      'H2,Zeno,Hamster,Adoption',
      'H3,,Hamster,',
      'H4,Zita,Hamster,Died',
      'H1,Zorro,Hamster,',
      'H5,Zack,Hamster,Escaped',
    ];
    const map = encodeURIComponent('Adoption=sold,Died=skip,=available');
    const query = `?name=Animal&category=Kind&status=Outcome&statusMap=${map}&externalId=Id`;
    expect(await imported(`${file.join('\n')}\n`, query)).toMatchObject({
      status: 'completed',
      dryRun: false,
      read: 6,
      total: 6,
      created: 2,
      changed: 0,
      unchanged: 0,
      held: 0,
      skipped: 1,
      repeated: 1,
      rejected: 2,
      rejectedRows: [
        { line: 4, reason: 'the row has no name' },
        {
          line: 7,
          reason: 'status "Escaped" must be in the parameter statusMap, where * matches the rest',
        },
      ],
    });
    expect(await animals('name=Zorro')).toMatchObject([{ name: 'Zorro', status: 'available' }]);
    expect(await animals('name=Zeno')).toMatchObject([{ status: 'sold' }]);
    const again = await imported(`${file.join('\n')}\n`, query);
    expect(again).toMatchObject({ created: 0, unchanged: 2 });
  });

  test('names animals without a name, and reads NDJSON', async () => {
    const unnamed = encodeURIComponent('Unnamed {kind}');
    const lines =
      '{"name":"","categoryId":9007199254740993,"kind":"newt"}\n{"name":7,"categoryId":1}';
    expect(await imported(lines, `?unnamed=${unnamed}`, NDJSON)).toMatchObject({ created: 2 });
    const [newt] = await animals('name=Unnamed%20newt');
    expect(newt).toBeDefined();
  });

  test('writes nothing in a dry run', async () => {
    const result = await imported('name,categoryId\nNobody,1\n', '?dryRun=true');
    expect(result).toMatchObject({ status: 'completed', dryRun: true, created: 1 });
    expect(await animals('name=Nobody')).toEqual([]);
  });

  test('lets the file win with overwrite', async () => {
    const file = 'name,categoryId,external_id\nYara,1,O1\n';
    await imported(file);
    const [{ id } = { id: 0 }] = await animals('name=Yara');
    await petstore.writer.patch(`/v1/pets/${id}`, { name: 'Yoko' });
    expect(await imported(file)).toMatchObject({ unchanged: 1, changed: 0 });
    expect(await imported(file, '?overwrite=true')).toMatchObject({ unchanged: 0, changed: 1 });
  });

  test('attributes history and events to the key that imported', async () => {
    const { client, id } = await petstore.keyWith({});
    await imported('name,categoryId\nXena,1\n', '', CSV, client);
    const [{ id: petId } = { id: 0 }] = await animals('name=Xena');
    await numbered(petstore.storage.changes);
    const history = await petstore.writer.get(`/v1/pets/${petId}/history`);
    const line = { type: 'pet.created', actor: { keyId: Number(id) } };
    expect(JSON.parse(history.text)).toMatchObject([line]);
    const { changes } = await eventually(
      () => petstore.storage.changes.list({ after: undefined, limit: 100 }),
      ({ changes }) => changes.some((change) => 'pet' in change && change.pet.name === 'Xena'),
    );
    expect(changes.find((change) => 'pet' in change && change.pet.name === 'Xena')?.keyId).toBe(id);
  });

  test('stores the first 100 rejected rows, with short reasons', async () => {
    const long = 'x'.repeat(5_000);
    const rows = Array.from({ length: 150 }, (_, n) => `Rex,1,${n === 0 ? long : 'elsewhere'}`);
    const { rejected, rejectedRows } = await imported(
      `name,categoryId,status\n${rows.join('\n')}\n`,
    );
    expect(rejected).toBe(150);
    expect(rejectedRows).toHaveLength(100);
    const [first] = rejectedRows as { reason: string }[];
    expect(first?.reason).toHaveLength(REASON_MAX);
  });

  test('is listed without its rejected rows', async () => {
    const { id } = await imported('name,categoryId\nVera,1\n,1\n');
    const list = await petstore.writer.get('/v1/imports?limit=100');
    const listed = JSON.parse(list.text).find((one: Imported) => one.id === id);
    expect(listed).toMatchObject({ status: 'completed', rejected: 1 });
    expect(listed.rejectedRows).toBeUndefined();
    const newest = await petstore.writer.get('/v1/imports?limit=1&sort=newest');
    expect(JSON.parse(newest.text)).toEqual([listed]);
  });
});

describe('a file that cannot be read to its end imports nothing:', () => {
  const HEAD = 'name,categoryId\nFirst in a bad file,1\n';
  test.each([
    ['', CSV, '', 'The file is empty; its first line must name the columns.'],
    ['', NDJSON, '', 'The file is empty; its first line must name the columns.'],
    [`${HEAD}"Rex,1\n`, CSV, '', 'has a quote that is never closed; nothing was imported.'],
    [`${HEAD}Re"x,1\n`, CSV, '', 'has a misplaced quote'],
    [Buffer.from(`${HEAD}Ren\xe9,1\n`, 'latin1'), CSV, '', 'The file is not UTF-8 text'],
    [Buffer.from('PK\x03\x04\x14\0'), CSV, '', 'The file is no spreadsheet that can be read'],
    [Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0]), CSV, '', 'is not a text file with rows. Save the'],
    ['%PDF-1.7\n"a"b\n', NDJSON, '', 'The file is not a text file with rows.'],
    [HEAD, CSV, '?name=Name', 'no column "Name", which the parameter name names'],
    [
      'Nom de,categoryId\nRex,1\n',
      CSV,
      '',
      'No column of names: the parameter name with one of them.',
    ],
    [HEAD, CSV, '?overwrite=true', 'The parameter overwrite needs externalId'],
  ])('%j as %j with %j', async (body, headers, query, message) => {
    const result = await imported(body, query, headers);
    expect(result).toMatchObject({
      status: 'failed',
      created: 0,
      failure: { code: 'invalid_file' },
    });
    expect(Object(result['failure']).message).toContain(message);
    expect(await animals('name=First%20in%20a%20bad%20file')).toEqual([]);
  });

  test('more rows than the limit', async () => {
    const rows = 'a,1\n'.repeat(ROWS_MAX + 1);
    const result = await imported(`name,categoryId\n${rows}`);
    expect(Object(result['failure']).message).toContain(`more than ${ROWS_MAX} rows`);
  }, 60_000);
});

describe('a request is refused at once', () => {
  test.each([
    ['?dryRun=yes', 'dryRun must be true or false'],
    ['?category=Kind&categoryId=Id', 'categoryId must not be given together with category'],
    ['?statusMap=sold', 'statusMap is wrong: "sold" must be VALUE=STATUS'],
    [`?statusMap=${'x'.repeat(2_000)}`, `"${'x'.repeat(299)}…" must be VALUE=STATUS`],
    [`?statusMap=${'x'.repeat(2_001)}`, 'statusMap must have at most 2000 characters.'],
    ['?unnamed=%7BKind', 'unnamed is wrong: Each { needs a }'],
    ['?name=', 'name must not be empty'],
  ])('for the query %s', async (query, problem) => {
    const response = await start('name,categoryId\nRex,1\n', query);
    expect(response.status).toBe(400);
    expect(expectError(response, 'invalid_parameter')).toContain(problem);
  });

  test.each([
    [{ 'content-type': 'application/pdf' }],
    [{ 'content-type': 'text/csv; charset=iso-8859-1' }],
    [{ 'content-type': 'text/csv', 'content-encoding': 'gzip' }],
  ])('for a body with %j', async (headers) => {
    const response = await start('name,categoryId\nRex,1\n', '', headers as SentHeaders);
    expect(response.status).toBe(415);
  });
});

describe('an Idempotency-Key', () => {
  const file = 'name,categoryId\nUlla,1\n';
  const send = (key: string, body = file, query = '') =>
    start(body, query, { ...CSV, 'idempotency-key': key });

  test('starts one import, however often the file is sent', async () => {
    const key = crypto.randomUUID();
    const first = await send(key);
    const { id } = JSON.parse(first.text);
    await ended(id);
    const second = await send(key);
    expect(second.status).toBe(202);
    expect(second.text).toBe(first.text);
    expect(second.headers.get('idempotent-replayed')).toBe('true');
    expect(await animals('name=Ulla')).toHaveLength(1);
  });

  test('is refused with another file or another mapping', async () => {
    const key = crypto.randomUUID();
    await send(key, file, '?dryRun=true');
    for (const response of [await send(key), await send(key, `${file}Una,1\n`, '?dryRun=true')]) {
      expect(response.status).toBe(422);
    }
  });
});
