/** The package as the service hands it out. */
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { Petstore } from 'petstore-client';
import { examplesIn } from '../docs/examples.ts';
import { startGuideShop } from '../docs/guide-shop.ts';
import { type InstalledClient, installClient, linkPackage, run } from './package.ts';

const ROOT = join(import.meta.dir, '../..');
const SIZE_MAX = 6_000;
/** Building and checking take long while other tests run. */
const PATIENCE_MS = 180_000;

const COMMONJS = `import { type Pet, Petstore, PetstoreError, writeJson } from 'petstore-client';

const store = new Petstore({ baseUrl: 'http://127.0.0.1:9/v1', retries: 0 });
const pet: Pet = { id: 1, name: 'Rex', categoryId: 9223372036854775807n, status: 'available' };
store.pets.get(pet.id).catch((error: unknown) => {
  if (error instanceof PetstoreError) console.log(error.code, writeJson(pet.categoryId));
});
`;

const readme = readFileSync(join(ROOT, 'packages/client/README.md'), 'utf8');
const examples = examplesIn(readme).filter(({ language }) => language === 'ts');

let client: InstalledClient;
beforeAll(async () => {
  client = await installClient();
  linkPackage(client, '@types/node');
  linkPackage(client, 'undici-types');
}, PATIENCE_MS);
afterAll(() => client[Symbol.dispose]());

describe('the package of the client', () => {
  test('has the code, the types, a README and a licence, and no dependencies', () => {
    const files = [...new Bun.Glob('**').scanSync(client.package)];
    expect(files.filter((path) => !path.startsWith('dist/')).sort()).toEqual([
      ...['LICENSE', 'README.md', 'example/index.html', 'example/server.mjs', 'package.json'],
    ]);
    expect(files).toContain('dist/index.js');
    expect(files).toContain('dist/index.d.ts');
    const facts = JSON.parse(readFileSync(join(client.package, 'package.json'), 'utf8'));
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(facts.version).toBe(version);
    expect(Object.keys(facts).filter((name) => /dependencies/i.test(name))).toEqual([]);
  });

  test(
    'is what npm packs',
    async () => {
      const to = ['--pack-destination', client.path];
      // It also builds.
      await run(['npm', 'pack', '-w', 'packages/client', ...to], ROOT);
      const [packed = ''] = new Bun.Glob('*.tgz').scanSync({ cwd: client.path, absolute: true });
      const filesOf = async (path: string) => {
        const files = await new Bun.Archive(await Bun.file(path).bytes()).files();
        const texts = [...files].map(async ([name, file]) => [name, await file.text()] as const);
        return Object.fromEntries(await Promise.all(texts));
      };
      expect(await filesOf(client.tarball)).toEqual(await filesOf(packed));
    },
    PATIENCE_MS,
  );

  test(`is under ${SIZE_MAX} bytes, minified and gzipped`, async () => {
    const { outputs } = await Bun.build({
      entrypoints: [join(client.package, 'dist/index.js')],
      minify: true,
      format: 'esm',
    });
    const text = (await outputs[0]?.text()) ?? '';
    const size = Bun.gzipSync(text, { level: 9 }).length;
    expect(size).toBeGreaterThan(2_000);
    expect(size).toBeLessThan(SIZE_MAX);
  });

  test(
    'is one in which publint and are-the-types-wrong find nothing',
    async () => {
      expect(await run(['publint', '--strict', client.package], ROOT)).toEndWith('All good!\n');
      const script = join(import.meta.dir, 'types-problems.js');
      const found: unknown = JSON.parse(await run(['node', script, client.tarball], ROOT));
      expect(found).toEqual({ types: { kind: 'included' }, problems: [] });
    },
    PATIENCE_MS,
  );

  test(
    'is one that CommonJS can require, in TypeScript too',
    async () => {
      writeFileSync(client.file('program.cts'), COMMONJS);
      const options = ['--strict', '--module', 'node16', '--target', 'es2022', '--types', 'node'];
      const program = client.file('program.cts');
      expect(await run(['tsc', ...options, '--ignoreConfig', program], client.path)).toBe('');
      expect(await run(['node', client.file('program.cjs')], client.path)).toBe(
        'connection_lost 9223372036854775807\n',
      );
    },
    PATIENCE_MS,
  );
});

test(
  'a project that has the package in its folder vendor is installed elsewhere by npm ci',
  async () => {
    const npm = (folder: string, ...args: string[]) =>
      run(
        ['npm', ...args, '--offline', '--no-audit', '--cache', client.file(`cache ${folder}`)],
        client.file(folder),
      );
    const file = `vendor/${basename(client.tarball)}`;
    mkdirSync(client.file('here/vendor'), { recursive: true });
    cpSync(client.tarball, client.file(`here/${file}`));
    writeFileSync(client.file('here/package.json'), '{}');
    await npm('here', 'install', `./${file}`);
    for (const name of ['package.json', 'package-lock.json', 'vendor']) {
      cpSync(client.file(`here/${name}`), client.file(`there/${name}`), { recursive: true });
    }
    await npm('there', 'ci');
    expect(existsSync(client.file('there/node_modules/petstore-client/dist/index.js'))).toBe(true);
  },
  PATIENCE_MS,
);

describe('the README of the client', () => {
  test(
    'has five examples, which work',
    async () => {
      expect(examples).toHaveLength(5);
      await using shop = await startGuideShop();
      await shop.untilIllustrated();
      for (const [index, { text }] of examples.entries()) {
        const path = client.file(`example-${index}.mts`);
        writeFileSync(path, shop.fill(text));
        const ran = await shop.run([process.execPath, path]);
        expect([ran.exitCode, ran.stderr]).toEqual([0, '']);
        const shown = /^\/\/ prints (.*)$/m.exec(text)?.[1] ?? '';
        expect(ran.stdout).toMatch(new RegExp(shown));
      }
    },
    PATIENCE_MS,
  );

  test(
    'has examples that pass the strict checks of the compiler, as modules of Node and of bundlers',
    async () => {
      for (const [index, { text }] of examples.entries()) {
        writeFileSync(client.file(`example-${index}.mts`), text);
      }
      for (const module of ['nodenext', 'preserve']) {
        const compilerOptions = {
          strict: true,
          exactOptionalPropertyTypes: true,
          noUncheckedIndexedAccess: true,
          noEmit: true,
          target: 'es2022',
          module,
          types: ['node'],
        };
        const config = JSON.stringify({ compilerOptions, include: ['example-*.mts'] });
        writeFileSync(client.file('tsconfig.json'), config);
        expect(await run(['tsc', '-p', client.path], ROOT)).toBe('');
      }
    },
    PATIENCE_MS,
  );

  test('lists the methods of every group', () => {
    const store = new Petstore({ baseUrl: 'http://127.0.0.1:8080/v1' });
    for (const [group, operations] of Object.entries(store)) {
      for (const name of methodsOf(operations)) expect(readme).toContain(`${group}.${name}`);
    }
  });
});

/** The public methods of a group, inherited ones included. */
function methodsOf(operations: object): string[] {
  const methods: string[] = [];
  for (let at = operations; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    if (at !== operations) methods.push(...Object.getOwnPropertyNames(at));
  }
  return methods.filter((name) => !/^constructor$|^transport$|At$|To$/.test(name));
}
