import { expect, test } from 'bun:test';
import type { HttpResponse } from '../../src/http/response.ts';
import { fieldsOf, prepare } from '../../src/http/response-template.ts';

const vary = { vary: 'Authorization' };
const resets = ['0', '1'].map((reset) => ({ 'x-ratelimit-reset': reset, 'x-other': reset }));
const response: HttpResponse = { status: 200, body: '[]', headers: { etag: '"1"' } };

test('a prepared answer is sent with the fields of its own time, however often', async () => {
  const prepared = prepare(response);
  const sent = Array.from({ length: 3 }, (_, i) => {
    const fields = fieldsOf(prepared, true);
    fields.set('x-request-id', `id-${i}`);
    fields.keep(vary);
    fields.keep(resets[Math.floor(i / 2)] ?? {});
    return new Response(prepared.body, fields.init);
  });
  expect(sent.map(({ headers }) => headers.get('x-request-id'))).toEqual(['id-0', 'id-1', 'id-2']);
  expect(sent.map(({ headers }) => headers.get('x-ratelimit-reset'))).toEqual(['0', '0', '1']);
  for (const { headers } of sent) {
    expect(headers.get('etag')).toBe('"1"');
    expect(headers.get('vary')).toBe('Authorization');
    expect(headers.get('cache-control')).toBe('private, no-cache');
  }
});

test('prepared answers of one kind are sent in turn, each with what it says itself', () => {
  const link = '</v1/pets?cursor=x>; rel="next"';
  const prepared = [
    prepare(response),
    prepare({ ...response, headers: { etag: '"2"' } }),
    prepare({ ...response, headers: { etag: '"3"', link } }),
    prepare({ ...response, headers: { link, etag: '"4"' } }),
    prepare({ ...response, status: 503, headers: { etag: '"5"' } }),
  ];
  for (let round = 0; round < 2; round++) {
    for (const [i, one] of prepared.entries()) {
      const { status, headers } = new Response(null, fieldsOf(one, true).init);
      expect(status).toBe(one.status);
      expect(headers.get('etag')).toBe(`"${i + 1}"`);
      expect(headers.get('link')).toBe(i === 2 || i === 3 ? link : null);
    }
  }
});

test('one that says less than the others is told nothing of them', () => {
  const prepared = prepare(response);
  fieldsOf(prepared, true).set('x-ratelimit-remaining', '7');
  expect(fieldsOf(prepared, false).headers.get('x-ratelimit-remaining')).toBeNull();
  expect(fieldsOf(prepared, false).headers.get('etag')).toBe('"1"');
});

test('an answer that is not prepared has a list for itself', () => {
  fieldsOf(response, true).set('x-request-id', 'one');
  expect(fieldsOf(response, true).headers.get('x-request-id')).toBeNull();
});
