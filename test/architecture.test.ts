import { describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { violationsOf } from './architecture.ts';

const ROOT = join(import.meta.dir, '..');

async function readSources(): Promise<Map<string, string>> {
  const sources = new Map<string, string>();
  for (const pattern of ['{src,test}/**/*.{ts,tsx,sql}', 'packages/*/{src,generate}/**/*.ts']) {
    for (const path of new Bun.Glob(pattern).scanSync(ROOT)) {
      sources.set(path, await Bun.file(join(ROOT, path)).text());
    }
  }
  return sources;
}

describe('the architecture', () => {
  test('is respected by every file', async () => {
    const sources = await readSources();
    expect(sources.has('src/server/server.ts')).toBe(true);
    expect(sources.has('packages/client/src/petstore.ts')).toBe(true);
    expect(violationsOf(sources)).toEqual([]);
  });

  const lines = (count: number) => 'x\n'.repeat(count);
  /** A file that only imports another. */
  const importing = (path: string) => `import { x } from '${path}';\n`;
  const planted = (...files: [path: string, source: string][]) => violationsOf(new Map(files));

  test.each([
    ['src/domain/pet.ts', '../http/json.ts'],
    ['src/http/body.ts', '../domain/pet.ts'],
    ['src/http/body.ts', '../api/pets.ts'],
    ['src/limits/local.ts', '../storage/open.ts'],
    ['src/limits/local.ts', '../http/response.ts'],
    ['src/storage/sqlite/pets.ts', '../postgres/pets.ts'],
    ['src/storage/postgres/pets.ts', '../sqlite/pets.ts'],
    ['src/storage/open.ts', '../api/pets.ts'],
    ['src/storage/open.ts', '../settings/config.ts'],
    ['src/api/resources/pets.ts', '../../storage/open.ts'],
    ['src/api/resources/pets.ts', '../../limits/local.ts'],
    ['src/api/resources/pets.ts', '../../settings/config.ts'],
    ['src/api/resources/pets.ts', '../pipeline/pipeline.ts'],
    ['src/api/contract/operation.ts', '../resources/pets.ts'],
    ['src/api/cache/response-cache.ts', '../pipeline/pipeline.ts'],
    ['src/api/pipeline/pipeline.ts', '../cache/response-store.ts'],
    ['src/api/resources/pets.ts', '../../site/pages.ts'],
    ['src/site/pages.ts', '../api/resources/pets.ts'],
    ['src/site/pages.ts', '../domain/pet.ts'],
    ['src/telemetry/log.ts', '../api/pipeline.ts'],
    ['src/cli/serve.ts', '../api/pets.ts'],
    ['src/cli/serve.ts', '../http/json.ts'],
    ['src/cli/serve.ts', '../limits/local.ts'],
    ['src/settings/config.ts', '../storage/sqlite/storage.ts'],
    ['src/settings/config.ts', '../server/server.ts'],
    ['src/auth/credential-cache.ts', '../api/pipeline/pipeline.ts'],
    ['src/events/feed.ts', '../webhooks/deliverer.ts'],
    ['src/server/server.ts', '../cli/run.ts'],
    ['src/main.ts', './server/server.ts'],
    ['src/domain/pet.ts', '../../test/support/start.ts'],
    ['src/import/csv-rows.ts', '../cli/explain.ts'],
    ['src/import/csv-rows.ts', '../storage/open.ts'],
    ['src/console/live.ts', '../domain/pet.ts'],
    ['src/console/live.ts', '../../packages/client/src/index.ts'],
    ['src/site/pages.ts', '../console/pages.ts'],
  ])('%s must not import %s', (path, target) => {
    const resolved = join(path, '..', target);
    const expected = [`${path} must not import ${resolved}`];
    expect(planted([path, importing(target)])).toEqual(expected);
    const type = `import type {\n  X,\n} from '${target}';\n`;
    expect(planted([path, type])).toEqual(expected);
    expect(planted([path, `export * from "${target}";\n`])).toEqual(expected);
    expect(planted([path, `import '${target}';\n`])).toEqual(expected);
    expect(planted([path, `const x = await import('${target}');\n`])).toEqual(expected);
  });

  test.each([
    ['src/http/body.ts', '../domain/failure.ts'],
    ['src/storage/sqlite/pets.ts', '../unusable.ts'],
    ['src/storage/sqlite/migrations.ts', './migrations/0001-initial.sql'],
    ['src/server/server.ts', './limits/open.ts'],
    ['src/cli/demo.ts', '../../examples/animals.csv'],
    ['src/domain/pet.ts', './name.ts'],
  ])('%s may import %s', (path, target) => {
    expect(planted([path, importing(target)])).toEqual([]);
  });

  test('a package imports nothing from outside, and nothing imports it', () => {
    const outside = [
      '../../../src/domain/int64.ts',
      '../../other/src/index.ts',
      '../generate/a.ts',
    ];
    for (const target of outside) {
      const resolved = join('packages/client/src', target);
      expect(planted(['packages/client/src/json.ts', importing(target)])).toEqual([
        `packages/client/src/json.ts must not import ${resolved}`,
      ]);
    }
    expect(planted(['packages/client/src/json.ts', importing('bun')])).toEqual([
      'packages/client/src/json.ts must not import bun',
    ]);
    expect(planted(['packages/client/src/json.ts', importing('./error.ts')])).toEqual([]);
    const target = 'packages/client/src/index.ts';
    expect(planted(['src/domain/pet.ts', importing(`../../${target}`)])).toEqual([
      `src/domain/pet.ts must not import ${target}`,
    ]);
  });

  test('only the console imports the packages for the browser, and it imports no others', () => {
    expect(planted(['src/console/app.tsx', importing('preact/hooks')])).toEqual([]);
    expect(
      planted(['src/console/service.ts', importing('../../packages/client/src/index.ts')]),
    ).toEqual([]);
    expect(planted(['src/console/app.tsx', importing('zod')])).toEqual([
      'src/console/app.tsx must not import zod',
    ]);
    expect(planted(['src/site/pages.ts', importing('preact')])).toEqual([
      'src/site/pages.ts must not import preact',
    ]);
  });

  test('a folder that is not in the table is refused', () => {
    expect(planted(['src/chores/sweep.ts', ''])).toEqual([
      'src/chores/sweep.ts is in no part of the import table',
    ]);
  });

  test('import cycles of any length are refused, in tests too', () => {
    const cycle = planted(
      ['src/domain/a.ts', importing('./b.ts')],
      ['src/domain/b.ts', `import type { X } from './c.ts';\n`],
      ['src/domain/c.ts', importing('./a.ts')],
      ['src/domain/d.ts', importing('./a.ts')],
    );
    expect(cycle).toEqual([
      'import cycle: src/domain/a.ts → src/domain/b.ts → src/domain/c.ts → src/domain/a.ts',
    ]);
    expect(planted(['test/a.ts', importing('./a.ts')])).toHaveLength(1);
    const diamond = planted(
      ['src/domain/a.ts', importing('./b.ts') + importing('./c.ts')],
      ['src/domain/b.ts', importing('./d.ts')],
      ['src/domain/c.ts', importing('./d.ts')],
      ['src/domain/d.ts', ''],
    );
    expect(diamond).toEqual([]);
  });

  test.each([
    'src/domain/utils.ts',
    'src/domain/util.ts',
    'src/http/helpers/a.ts',
    'src/api/pipeline/helper.ts',
    'src/domain/lib/a.ts',
    'test/common.ts',
    'test/misc/a.test.ts',
    'src/http/json-utils.ts',
    'test/test-helpers.ts',
    'src/domain/Common.ts',
  ])('the name %s is refused', (path) => {
    expect(planted([path, ''])).toEqual([`${path} has a name that says nothing about its content`]);
  });

  test('a file of 300 lines is allowed, one of 301 is not', () => {
    const short = Array.from({ length: 3 }, (_, i): [string, string] => [`src/domain/${i}.ts`, '']);
    expect(planted(['src/domain/long.ts', lines(300)], ...short)).toEqual([]);
    expect(planted(['test/long.test.ts', lines(301)])).toEqual([
      'test/long.test.ts has 301 lines, more than 300',
    ]);
  });

  test('a median of src over 110 lines is refused', () => {
    const files = [90, 111, 120].map((n): [string, string] => [`src/domain/${n}.ts`, lines(n)]);
    expect(planted(...files)).toEqual(['the median file of src has 111 lines, more than 110']);
    expect(planted(['test/support/start.ts', lines(200)])).toEqual([]);
  });

  test('a second caller of Bun.serve is refused', () => {
    const source = 'const server = Bun.serve({ port: 0 });\n';
    expect(planted(['src/server/listener.ts', source])).toEqual([]);
    expect(planted(['src/telemetry/metrics.ts', source])).toHaveLength(1);
  });
});

/** Lines of a pattern's files, and how many there are. Who needs more says in the commit what users get for it. */
async function sizeOf(patterns: readonly string[], countOf: (text: string) => number) {
  const paths = new Set(
    patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync({ cwd: ROOT, dot: true })]),
  );
  const own = [...paths].filter(
    (path) => !/node_modules|(?:^|\/)dist\/|^bench\/.*\/build\/|Cargo\.lock/.test(path),
  );
  const texts = await Promise.all(own.map((path) => Bun.file(join(ROOT, path)).text()));
  return { files: own.length, size: texts.reduce((sum, text) => sum + countOf(text), 0) };
}

const linesIn = (text: string) => text.split('\n').length - 1;
const wordsIn = (text: string) => text.split(/\s+/).filter(Boolean).length;

test.each([
  [
    'source, with styles and SQL',
    ['{src,packages}/**/*.{ts,tsx,css,sql,lua}'],
    linesIn,
    86_200,
    705,
  ],
  ['tests', ['test/**/*.{ts,tsx}'], linesIn, 78_600, 703],
  ['benches', ['bench/**/*.{ts,js,lua,rs}'], linesIn, 4_600, 44],
  ['documents', ['*.md', '{docs,bench,examples,packages,.github}/**/*.md'], wordsIn, 55_000, 110],
] as const)('the house stays as small as it is: %s', async (_, patterns, countOf, most, files) => {
  const found = await sizeOf(patterns, countOf);
  expect(found.size).toBeGreaterThan(most / 2);
  expect(found.size).toBeLessThanOrEqual(most);
  expect(found.files).toBeLessThanOrEqual(files);
});
