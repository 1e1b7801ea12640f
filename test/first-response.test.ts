import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTemporaryFolder } from './support/temporary.ts';

const SOURCES = join(import.meta.dir, '../src');
/** What nothing needs before the first animals are shown, and much of the time until then. */
const LATER = ['pino', 'sonic-boom', 'marked', 'yaml', 'zod-openapi', 'csv-parse', 'cli-progress'];

/** A program that serves, answers once, and prints which files and packages it has loaded. */
function program(database: string, path: string): string {
  return `
    const { readConfig } = await import('${SOURCES}/config.ts');
    const { openServer } = await import('${SOURCES}/server.ts');
    const flags = { database: '${database}', port: '0', opsPort: 'off', logLevel: 'silent' };
    const { url } = await openServer(readConfig(flags, {}));
    await (await fetch(url + '${path}')).text();
    process.stdout.write(JSON.stringify(Object.keys(require.cache)), () => process.exit());`;
}

async function loadedFor(path: string): Promise<string[]> {
  using folder = createTemporaryFolder();
  const text = program(`sqlite:${folder.file('shop.db')}`, path);
  const child = Bun.spawn([process.execPath, '-e', text], { cwd: SOURCES });
  return JSON.parse(await child.stdout.text());
}

function packagesOf(files: readonly string[]): Set<string | undefined> {
  return new Set(files.map((file) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]));
}

test('the first animals wait for nothing that they do not need', async () => {
  const loaded = await loadedFor('/v1/pets');
  const packages = packagesOf(loaded);
  expect(packages).toContain('zod');
  expect(LATER.filter((name) => packages.has(name))).toEqual([]);
  expect(loaded.filter((file) => /\/src\/(?:web|storage\/postgres)\//.test(file))).toEqual([]);
});

test('what a page needs is loaded for the page', async () => {
  expect(packagesOf(await loadedFor('/docs/limits'))).toContain('marked');
});
