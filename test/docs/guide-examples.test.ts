import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InstalledClient, installClient } from '../client/package.ts';
import { useClientSource } from '../client/source.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { expectUntouched, recordsOf, useShop } from './busy-shop.ts';
import { type Example, examplesIn } from './examples.ts';
import { startGuideRun } from './guide-run.ts';
import { startGuideShop } from './guide-shop.ts';

const ROOT = join(import.meta.dir, '../..');
const GUIDES = join(ROOT, 'docs/guides');

/** Longer than the slowest guide takes on a busy machine. */
const GUIDE_MS = 240_000;

const guides: readonly (readonly [name: string, examples: readonly Example[]])[] = readdirSync(
  GUIDES,
)
  .sort()
  .map((name) => [name, examplesIn(readFileSync(join(GUIDES, name), 'utf8'))]);

describe('the examples of the guides', () => {
  let client: InstalledClient;
  beforeAll(async () => {
    client = await installClient();
  }, GUIDE_MS);
  afterAll(() => client[Symbol.dispose]());

  test('exist in every language', () => {
    const languages = new Set(guides.flatMap(([, all]) => all.map(({ language }) => language)));
    for (const language of ['sh', 'json', 'http', 'ts', 'py'])
      expect([...languages]).toContain(language);
  });

  test('are all blocks, also those in lists', () => {
    for (const [name, examples] of guides) {
      const fences = readFileSync(join(GUIDES, name), 'utf8').match(/^ *```/gm) ?? [];
      expect([name, examples.length * 2]).toEqual([name, fences.length]);
    }
    const count = guides.reduce((all, [, examples]) => all + examples.length, 0);
    console.log(`${count} blocks in ${guides.length} guides`);
    expect(count).toBeGreaterThan(150);
  });

  describe.each([
    ['a fresh demonstration', false],
    ['a shop that has done other things before', true],
  ])('on %s', (_, isUsed) => {
    test.each(guides.filter(([, examples]) => examples.length > 0))(
      'of %s work, and touch nothing that was there',
      async (__, examples) => {
        await using database = await startGuideShop();
        if (examples.some(({ text }) => /pet\.created/.test(text)))
          await database.untilIllustrated();
        if (isUsed) await useShop(database);
        const before = await recordsOf(database);
        // These guides install it as they print.
        if (!examples.some(({ text }) => text.includes('npm install http'))) {
          database.installClient(client.package);
        }
        const run = startGuideRun(database);
        for (const example of examples) {
          await run.execute(example).catch((error: Error) => {
            throw new Error(`${error.message}\n\nin this example:\n\n${example.text}`);
          });
        }
        await expectUntouched(database, before);
      },
      GUIDE_MS,
    );
  });

  test('have a fence with one word, their language', () => {
    for (const [name, examples] of guides)
      for (const { language } of examples)
        expect([name, language]).toEqual([name, expect.stringMatching(/^\w+$/)]);
  });

  test(
    'in TypeScript pass the strict checks of the compiler',
    async () => {
      using folder = createTemporaryFolder();
      for (const [name, examples] of guides) {
        for (const [number, { language, text }] of examples.entries())
          if (language === 'ts') writeFileSync(folder.file(`${name}-${number}.ts`), text);
      }
      useClientSource(folder);
      const child = Bun.spawn(['npx', 'tsc', '-p', folder.path], { cwd: ROOT, stdout: 'pipe' });
      expect(await child.stdout.text()).toBe('');
      expect(await child.exited).toBe(0);
    },
    GUIDE_MS,
  );
});
