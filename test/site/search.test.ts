import { describe, expect, test } from 'bun:test';
import { createSearch } from '../../src/site/search.ts';
import { forAllTests } from '../support/lifetime.ts';
import { startPetstore } from '../support/start.ts';

const petstore = forAllTests(() => startPetstore());

const ask = (query: string) => petstore.anonymous.get(`/docs/search?${query}`);

/** The addresses of the results, in order. */
function addressesIn(html: string): string[] {
  const [, list = ''] = /<ol class="found">([\s\S]*)<\/ol>/.exec(html) ?? [];
  return [...list.matchAll(/<li><a href="([^"]*)"/g)].map(([, address = '']) => address);
}

describe('the search in the guides', () => {
  test('shows title, section and excerpt, the best first', async () => {
    const { status, text, headers } = await ask('q=rate_limit_day');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(addressesIn(text)[0]).toBe('/docs/errors#rate_limit_day');
    expect(text).toContain('>Errors: rate_limit_day</a>');
    expect(text).toContain('<mark>rate_limit_day</mark>');
    expect(text).not.toContain('127.0.0.1:8080');
  });

  test('leads to sections that exist', async () => {
    const addresses = addressesIn((await ask('q=key')).text);
    expect(addresses).toHaveLength(20);
    for (const address of addresses) {
      const [path = '', anchor] = address.split('#');
      const { status, text } = await petstore.anonymous.get(path);
      expect([address, status]).toEqual([address, 200]);
      if (anchor !== undefined) expect(text).toContain(`id="${anchor}"`);
    }
  });

  test('finds sections with all words, by the beginning of each, in any case', () => {
    const search = createSearch(
      new Map([
        ['/a', '# Cats\n\nOf adoption.\n\n## Care\n\nAdopt a `calm` [cat](b.md).\n'],
        ['/b', '# Dogs\n\n```sh\n## no heading\ncurl calm\n```\n'],
      ]),
    );
    const found = (query: string) => search(query).map(({ address }) => address);
    expect(found('ADOPT calm')).toEqual(['/a#care']);
    expect(found('cat')).toEqual(['/a#care', '/a']);
    expect(found('heading')).toEqual(['/b']);
    expect(found('option')).toEqual([]);
    // No section has all of these, so those with most of them.
    expect(found('calm adopt nothing')).toEqual(['/a#care']);
    expect(found('   ')).toEqual([]);
    expect(found('.*')).toEqual([]);
    expect(search('calm')[0]?.excerpt).toEqual(['Adopt a ', 'calm', ' cat.']);
  });

  test('shows what was asked for as text', async () => {
    const { text } = await ask(`q=${encodeURIComponent('"><script>alert(1)</script> & key')}`);
    expect(text).toContain('value="&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt; &amp; key"');
    expect(text).not.toContain('<script>');
    expect((await ask('q=curl+%3C')).text).not.toMatch(/<mark><(?!\/mark>)/);
  });

  test.each([
    ['', 200, 'by the beginnings of words'],
    ['q=', 200, 'by the beginnings of words'],
    ['q=zzzz', 200, 'No guide has this.'],
    ['q=%', 400, 'invalid_request'],
    ['q=%zz', 400, 'invalid_request'],
    [`q=${'x'.repeat(101)}`, 400, 'at most 100 characters'],
  ])('?%s is answered with %d', async (query, status, words) => {
    const response = await ask(query);
    expect([response.status, response.text.includes(words)]).toEqual([status, true]);
  });

  test('works without JavaScript, from the list of every page', async () => {
    for (const path of ['/docs/guides', '/docs', '/docs/search']) {
      const { text, headers } = await petstore.anonymous.get(path);
      expect(text).toContain('<form action="/docs/search" role="search">');
      expect(headers.get('content-security-policy')).toContain("form-action 'self'");
    }
    expect((await ask('q=key')).headers.get('content-security-policy')).not.toContain('script-src');
  });

  test('is charged to the address, and refused over the limit', async () => {
    await using limited = await startPetstore({ settings: { PETSTORE_ANONYMOUS_PER_MINUTE: '2' } });
    const statuses: number[] = [];
    for (let count = 0; count < 3; count++) {
      const { status, headers } = await limited.anonymous.get('/docs/search?q=key');
      statuses.push(status);
      if (status === 429) expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    }
    expect(statuses).toEqual([200, 200, 429]);
    // Other pages are free.
    expect((await limited.anonymous.get('/docs/limits')).status).toBe(200);
    expect((await limited.anonymous.post('/docs/search', '{}')).status).not.toBe(200);
  });
});
