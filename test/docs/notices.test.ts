import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { NOTICES_PATH, thirdPartyNotices } from '../../notices/third-party.ts';
import { runPetstore } from '../support/command-line.ts';
import { startPetstore } from '../support/start.ts';

const ROOT = join(import.meta.dir, '../..');
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const notices = readFileSync(NOTICES_PATH, 'utf8');
const { dependencies } = JSON.parse(read('package.json'));

describe('the third-party notices', () => {
  test('match the installed packages: `npm run notices` updates them', () => {
    expect(notices).toBe(thirdPartyNotices());
  });

  test('list every runtime package with its version', () => {
    const { packages } = JSON.parse(read('package-lock.json'));
    const inside = Object.entries<{ version: string; dev?: boolean; link?: boolean }>(packages)
      // Our own package, and the link to it, are nobody else's.
      .filter(([path, { link }]) => path.startsWith('node_modules/') && link !== true)
      .map(([path, facts]) => ({ ...facts, name: path.replace(/^.*node_modules\//, '') }))
      .filter(({ name, dev }) => name !== '' && dev !== true && !/^(?:bun$|@oven\/)/.test(name));
    expect(inside.length).toBeGreaterThan(10);
    for (const { name, version } of inside) expect(notices).toContain(`\n${name} ${version}\n`);
  });

  test('cover this runtime and this version of the reference page', () => {
    expect(notices).toContain(`\nBun ${dependencies.bun}, the runtime`);
    expect(notices).toContain('GNU LIBRARY GENERAL PUBLIC LICENSE');
    const [, version] = /scalar-([\d.]+)\.js\.gz/.exec(read('src/site/reference.ts')) ?? [];
    expect(notices).toContain(`\n@scalar/api-reference ${version} and the packages`);
    for (const name of ['vue', 'highlight.js', '@codemirror/view', 'zod']) {
      expect(notices).toMatch(new RegExp(`^${name} \\d`, 'm'));
    }
  });

  test('are printed by a command, and served beside the pages', async () => {
    expect(await runPetstore(['notices'])).toEqual({ exitCode: 0, stdout: notices, stderr: '' });
    await using petstore = await startPetstore();
    const served = await petstore.anonymous.get('/docs/notices');
    expect([served.status, served.text]).toEqual([200, notices]);
    expect(served.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect((await petstore.anonymous.get('/')).text).toContain('href="/docs/notices"');
  });

  test('are in the image beside the executable, like the SBOM', () => {
    expect(read('examples/Dockerfile')).toMatch(/^COPY .*THIRD-PARTY-NOTICES\.txt \//m);
    expect(read('examples/Dockerfile')).toMatch(/^COPY .*petstore\.cdx\.json \//m);
  });
});
