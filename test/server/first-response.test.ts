import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { createTemporaryFolder } from '../support/temporary.ts';

const SOURCES = join(import.meta.dir, '../../src');
/** Packages that are slow to load and not needed for the first list of animals. */
const LATER = ['marked', 'yaml', 'zod-openapi', 'csv-parse', 'cli-progress', 'uqr'];

/** The pages, apart from the words that searches know and the two files that decide whether a request is for one; PostgreSQL; reading files of animals. */
const NOT_YET =
  /\/src\/(?:adopt\/(?!(?:messages\/|languages|search-words))|api\/adopt\/|site\/(?!(?:site|health)\.ts)|storage\/postgres\/|import\/(?:check-rows|profile-))/;

/** A program that serves one response and prints the files and packages it has loaded. */
function program(database: string, path: string): string {
  return `
    const { readConfig } = await import('${SOURCES}/settings/config.ts');
    const { openServer } = await import('${SOURCES}/server/server.ts');
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

test('the first list of animals loads nothing that it does not need', async () => {
  const loaded = await loadedFor('/v1/pets');
  const packages = packagesOf(loaded);
  expect(packages).toContain('zod');
  expect(LATER.filter((name) => packages.has(name))).toEqual([]);
  expect(loaded.filter((file) => NOT_YET.test(file))).toEqual([]);
});

test('a page loads what it needs', async () => {
  expect(packagesOf(await loadedFor('/docs/limits'))).toContain('marked');
});
