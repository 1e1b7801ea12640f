import { describe, expect, test } from 'bun:test';
import { FAILURE_STATUS } from '../../src/domain/failure.ts';
import { CONSOLE_PATHS } from '../../src/site/console/console.ts';
import { renderMarkdown } from '../../src/site/markdown.ts';
import { GUIDES, NAVIGATION } from '../../src/site/navigation.ts';
import { createPages } from '../../src/site/pages.ts';

const pages = createPages('https://pets.example/v1', ['https://pets.example/v1', undefined]);

function html(path: string): string {
  const body = pages.get(path)?.('').body;
  if (typeof body !== 'string') throw new Error(`There is no page at ${path}`);
  return body;
}

const paths = [...GUIDES.keys(), '/docs'];

describe('the guides', () => {
  test('have one section for each error code, under its status', () => {
    const sections: [string, number][] = [];
    let status = 0;
    for (const line of (GUIDES.get('/docs/errors') ?? '').split('\n')) {
      if (line.startsWith('## ')) status = Number.parseInt(line.slice(3), 10);
      if (line.startsWith('### ')) sections.push([line.slice(4), status]);
    }
    expect(Object.fromEntries(sections)).toEqual({ ...FAILURE_STATUS });
    expect(sections).toHaveLength(Object.keys(FAILURE_STATUS).length);
    for (const [code] of sections) expect(html('/docs/errors')).toContain(`<h3 id="${code}">`);
  });

  test.each(paths)('%s has no broken links', (path) => {
    const linked = [...html(path).matchAll(/(?:href|src)="([^"]*)"/g)].map(([, link = '']) => link);
    expect(linked.length).toBeGreaterThan(NAVIGATION.length);
    for (const link of linked) {
      const [target = '', anchor] = link.split('#');
      // Other sites are not reachable from a test.
      if (target === '/' || target === '/openapi.json' || target.startsWith('https://')) continue;
      if (CONSOLE_PATHS.includes(target)) continue;
      expect([link, pages.has(target || path)]).toEqual([link, true]);
      if (anchor !== undefined) expect(html(target || path)).toContain(`id="${anchor}"`);
    }
  });

  test('are all in the navigation, which marks the current page', () => {
    expect(NAVIGATION.map(([path]) => path).sort()).toEqual([...paths].sort());
    for (const [path, title] of NAVIGATION) {
      expect(html(path)).toContain(`<a href="${path}" aria-current="page">${title}</a>`);
    }
  });

  test('link to the previous and next guide in the order of the navigation', () => {
    const guides = NAVIGATION.map(([path]) => path).filter((path) => path !== '/docs');
    for (const [target, path] of guides.entries()) {
      const linked = (rel: string) =>
        new RegExp(`<a href="([^"]*)" rel="${rel}">`).exec(html(path))?.[1];
      expect([linked('prev'), linked('next')]).toEqual([guides[target - 1], guides[target + 1]]);
    }
  });

  test('list their sections in their contents', () => {
    const [, list = ''] = /<nav class="contents"([\s\S]*?)<\/nav>/.exec(html('/docs/errors')) ?? [];
    for (const code of Object.keys(FAILURE_STATUS)) expect(list).toContain(`<a href="#${code}">`);
    // A short guide needs none.
    expect(html('/docs/retries')).not.toContain('class="contents"');
  });

  test('highlight their examples and label the language', () => {
    expect(html('/docs/paging')).toContain('<div class="code" data-label="TypeScript">');
    const page = html('/docs/limits');
    expect(page).toContain('<div class="code" data-label="JavaScript">');
    expect(page).toContain('<span class="hljs-keyword">const</span>');
    expect(page).toContain('<div class="code" data-label="Python">');
    // Further words after a fence are for the tests.
    expect(html('/docs/errors')).toContain('<div class="code" data-label="Shell">');
    for (const path of GUIDES.keys()) expect([path, html(path)]).not.toContain('data-label=""');
  });

  test('are served as Markdown too, whose links work at its address', () => {
    const response = (path: string) => pages.get(path)?.('');
    for (const path of GUIDES.keys()) {
      const { body, headers } = response(`${path}.md`) ?? {};
      expect([path, headers?.['content-type']]).toEqual([path, 'text/markdown; charset=utf-8']);
      expect(body).toStartWith('# ');
      expect(body).not.toContain('127.0.0.1:8080/v1');
      const outside = String(body).replace(/^```[\s\S]*?^```$|`[^`\n]*`/gm, '');
      for (const [, link = ''] of outside.matchAll(/\]\(([^)#\s]+)[^)]*\)/g)) {
        const { pathname, host } = new URL(link, `https://pets.example${path}.md`);
        if (host !== 'pets.example' || pathname === '/openapi.json') continue;
        expect([path, pathname, pages.has(pathname)]).toEqual([path, pathname, true]);
      }
    }
  });

  test('are listed for programs, with a line each and the addresses of the service', () => {
    const { body, headers } = pages.get('/llms.txt')?.('') ?? {};
    expect(headers?.['content-type']).toBe('text/plain; charset=utf-8');
    expect(body).toMatch(/^# Petstore\n\n> \S/);
    const listed = Array.from(
      String(body).matchAll(/^- \[[^\]]+\]\(https:\/\/pets\.example(\/docs\/[\w-]+)\.md\): \S/gm),
      ([, path = '']) => path,
    );
    const guides = paths.filter((path) => !['/docs', '/docs/guides'].includes(path));
    expect([...new Set(listed)].sort()).toEqual(guides.sort());
    for (const document of ['openapi.json', 'openapi-small.json', 'openapi.yaml', 'mcp']) {
      expect(body).toContain(`(https://pets.example/${document})`);
    }
  });

  test('begin with what somebody builds, then go by subject', () => {
    const headings = [...html('/docs/guides').matchAll(/<h2 id="([^"]*)"/g)].map(([, id]) => id);
    const first = ['i-build-a-page', 'i-build-a-mirror', 'i-build-an-assistant'];
    const subjects = ['start', 'do', 'stay-in-step', 'be-robust', 'about', 'reference'];
    expect(headings).toEqual([...first, ...subjects]);
  });

  test('use the address of the service in their examples', () => {
    expect(html('/docs/getting-started')).toContain('https://pets.example/v1/pets?');
    for (const path of GUIDES.keys()) expect(html(path)).not.toContain('127.0.0.1:8080/v1');
  });

  test('link to the reference page', () => {
    expect(html('/docs/authentication')).toContain('<a href="/docs">reference</a>');
  });

  test('have no empty table headings', () => {
    const { html: rendered } = renderMarkdown('# A\n\n| | b |\n|---|---|\n| c | d |\n');
    expect(rendered).toContain('<tr><td></td><th>b</th></tr>');
    expect(rendered).toContain('<tr><td>c</td><td>d</td></tr>');
  });

  test('show HTML in the text escaped', () => {
    const { title, html: rendered } = renderMarkdown('# A <b>\n\n`<i>` [x](a.md)\n\n    <u>&\n');
    expect(title).toBe('A <b>');
    expect(rendered).toContain('<code>&lt;i&gt;</code> <a href="/docs/a">x</a>');
    expect(rendered).toContain('<code>&lt;u&gt;&amp;');
  });
});

describe('the policy of the pages', () => {
  const policyOf = (path: string) => pages.get(path)?.('').headers['content-security-policy'] ?? '';

  test.each(paths)('%s runs only our own script files', (path) => {
    expect(policyOf(path)).toStartWith("default-src 'none'; ");
    expect(policyOf(path)).not.toContain('unsafe-eval');
    expect(policyOf(path)).not.toMatch(/script-src[^;]*unsafe-inline/);
    expect(html(path)).not.toMatch(/<script(?![^>]*\bsrc=)/);
  });

  test('lets the test panel send only to this server and the configured ones', () => {
    expect(policyOf('/docs')).toContain("connect-src 'self' https://pets.example;");
    expect(policyOf('/docs/errors')).not.toContain('connect-src');
  });
});
