import { beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { eventually, eventuallyIs } from '../../support/eventually.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { openRawConnection } from '../../support/raw-connection.ts';
import { startPetstore } from '../../support/start.ts';

/*
 * The runtime's own behaviour, before or after our code. The list of known quirks names each, so
 * that a runtime that behaves differently is noticed.
 */

let list: string;

const petstore = forAllTests(() => startPetstore());
beforeAll(async () => {
  list = await Bun.file(join(import.meta.dir, '../../../docs/API-DESIGN.md')).text();
});

const HOST = 'Host: petstore.example\r\n';
const BODY = '{"name":"Rex","categoryId":1}';
const CHUNKED = 'Transfer-Encoding: chunked\r\n';
const get = (target: string, fields = '') => `GET ${target} HTTP/1.1\r\n${HOST}${fields}\r\n`;
const post = (fields: string, body = '') =>
  `POST /v1/pets HTTP/1.1\r\n${HOST}Authorization: Bearer ${petstore.admin.key}\r\n` +
  `Content-Type: application/json\r\n${fields}\r\n${body}`;

type ExpectedResponses = readonly (number | `${number} bare` | 'end')[];

/**
 * Sends bytes; returns the status of each response, which of them have no body, and whether the
 * connection ended after them.
 */
async function send(bytes: string, count: number): Promise<ExpectedResponses> {
  using connection = openRawConnection(petstore.port);
  connection.write(bytes);
  const responses: ExpectedResponses[number][] = [];
  while (responses.length < count) {
    const response = await connection.response();
    if (response === undefined) return [...responses, 'end'];
    const isBare = response.body === '' && !response.headers.has('x-request-id');
    responses.push(isBare ? `${response.status} bare` : response.status);
  }
  // If the connection stays open, it accepts this as well.
  connection.write(get('/livez'));
  const next = await connection.response();
  return next === undefined ? [...responses, 'end'] : responses;
}

describe('the runtime responds without a body, and closes the connection', () => {
  test.each<[string, number, () => string]>([
    ['HTTP/1.1 without `Host`', 400, () => 'GET /livez HTTP/1.1\r\n\r\n'],
    ['`GET *`', 400, () => get('*')],
    ['a target that does not start with `/`', 400, () => get('*').replace('GET', 'OPTIONS')],
    ['authority form', 400, () => get('petstore.example:80')],
    ['another scheme', 400, () => get('ftp://petstore.example/livez')],
    ['a blank line before the request', 400, () => `\r\n${get('/livez')}`],
    ['a header without a colon', 400, () => get('/livez', 'abc\r\n')],
    ['with a blank before it', 400, () => get('/livez', 'a : b\r\n')],
    ['folded', 400, () => get('/livez', 'a: b\r\n c\r\n')],
    ['with a control character', 400, () => get('/livez', 'a: \x07\r\n')],
    ['a bare LF or CR', 400, () => get('/livez', 'a: b\nc: d\r\n')],
    [
      '`Content-Length` with `Transfer-Encoding`',
      400,
      () => post(`Content-Length: 0\r\n${CHUNKED}`),
    ],
    ['two different lengths', 400, () => post('Content-Length: 0\r\nContent-Length: 1\r\n')],
    ['an invalid length', 400, () => post('Content-Length: x\r\n')],
    ['`Transfer-Encoding` other than `chunked`', 400, () => post('Transfer-Encoding: gzip\r\n')],
    ['with HTTP/1.0', 400, () => post(CHUNKED).replace('1.1', '1.0')],
    ['a malformed chunk', 400, () => post(CHUNKED, 'x\r\n')],
    ['a chunk extension over 16 KiB', 413, () => post(CHUNKED, `1;${'a'.repeat(20_000)}\r\n`)],
    [
      'request line and headers over 16 KiB together',
      431,
      () => get('/livez', `a: ${'b'.repeat(17_000)}\r\n`),
    ],
    ['200 headers or more', 431, () => get('/livez', 'a: b\r\n'.repeat(200))],
    ['another version than HTTP/1.0 and 1.1', 505, () => get('/livez').replace('1.1', '2.0')],
    ['a blank or control character in the target', 505, () => get('/li vez')],
    ['control character in the target', 505, () => get('/\x07')],
  ])('%s: %d', async (name, status, bytes) => {
    expect(await send(bytes(), 1)).toEqual([`${status} bare`, 'end']);
    const row = list.split('\n').find((line) => line.startsWith('|') && line.includes(name));
    expect(row).toEndWith(`| ${status} |`);
  });
});

describe('the runtime', () => {
  test.each<[string, ExpectedResponses, () => string]>([
    [
      '- An unknown method closes the connection',
      ['end'],
      () => get('/livez').replace('GET', 'BREW'),
    ],
    [
      '- a body followed by a blank line or by trailers',
      ['400 bare', 'end'],
      () => post(CHUNKED, `1d\r\n${BODY}\r\n0\r\na: b\r\n\r\n`),
    ],
    [
      '- Two equal `Content-Length` headers count as one',
      [201],
      () => post(`${`Content-Length: ${BODY.length}\r\n`.repeat(2)}`, BODY),
    ],
    [
      '`Expect` other than `100-continue`, are ignored',
      [201],
      () => post(`Expect: a dog\r\nContent-Length: ${BODY.length}\r\n`, BODY),
    ],
    [
      '`Upgrade`, and `Expect` other',
      [200],
      () => get('/livez', 'Connection: Upgrade\r\nUpgrade: h2c\r\n'),
    ],
    [
      '- a request followed by another before its response',
      ['end'],
      () => post(`${CHUNKED}`, `1d\r\n${BODY}\r\n0\r\n\r\n${get('/livez')}`),
    ],
  ])('%s', async (quirk, responses, bytes) => {
    expect(await send(bytes(), responses.filter((response) => response !== 'end').length)).toEqual(
      responses,
    );
    expect(list).toContain(quirk);
  });
});

describe('a write that is executed although its response is lost', () => {
  const chunked = (body: string) => `${body.length.toString(16)}\r\n${body}\r\n0\r\n`;
  const lengthOf = (body: string) => `Content-Length: ${body.length}\r\n`;
  test.each<[string, ExpectedResponses, (named: string, body: string) => string]>([
    [
      '- a body followed by a blank line or by trailers',
      ['400 bare', 'end'],
      (named, body) => post(named + CHUNKED, `${chunked(body)}a: b\r\n\r\n`),
    ],
    [
      '- a body followed by a blank line',
      ['400 bare', 'end'],
      (named, body) => post(named + lengthOf(body), `${body}\r\n`),
    ],
    [
      '- a request followed by another before its response',
      ['end'],
      (named, body) => post(named + lengthOf(body), body + get('/livez')),
    ],
  ])('%s: repeated with its Idempotency-Key it has one effect', async (quirk, responses, bytes) => {
    // Writes of the tests before may still be under way.
    const name = crypto.randomUUID();
    const body = JSON.stringify({ name, categoryId: 1 });
    const named = `Idempotency-Key: ${name}\r\n`;
    expect(await send(bytes(named, body), responses.length - 1)).toEqual(responses);
    await eventuallyIs(() => countNamed(name), 1);
    // Others see the animal a moment before the first request has ended.
    const again = await eventually(
      () => petstore.admin.post('/v1/pets', body, { 'idempotency-key': name }),
      ({ status }) => status !== 409,
    );
    expect(again.status).toBe(201);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect(await countNamed(name)).toBe(1);
    expect(list).toContain(quirk);
  });
});

async function countNamed(name: string): Promise<number> {
  const [row] = await petstore.database.sql(
    `SELECT count(*) AS count FROM pets WHERE name = '${name}'`,
  );
  return Number(row?.['count']);
}
