import { afterAll, beforeAll, describe, test } from 'bun:test';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type InstalledClient, installClient } from '../client/package.ts';
import { expectUntouched, recordsOf } from './busy-shop.ts';
import { type Example, examplesIn } from './examples.ts';
import { startGuideRun } from './guide-run.ts';
import type { GuideShop } from './guide-shop.ts';

const GUIDES = join(import.meta.dir, '../../docs/guides');

/** Longer than the slowest guide takes on a busy machine. */
export const GUIDE_MS = 240_000;

/** The text of a guide, by the name of its file. */
export const textOf = (name: string) => readFileSync(join(GUIDES, name), 'utf8');

/** Every guide with its blocks. */
export const guides: readonly (readonly [name: string, examples: readonly Example[]])[] =
  readdirSync(GUIDES)
    .sort()
    .map((name) => [name, examplesIn(textOf(name))]);

/** Runs all blocks of each guide, in the order of the guide, in the shop that `openShop` gives it. */
export function testGuides(
  shop: string,
  openShop: (examples: readonly Example[]) => Promise<GuideShop>,
): void {
  describe(`on ${shop}, the examples`, () => {
    let client: InstalledClient;
    beforeAll(async () => {
      client = await installClient();
    }, GUIDE_MS);
    afterAll(() => client[Symbol.dispose]());

    test.each(guides.filter(([, examples]) => examples.length > 0))(
      'of %s work, and touch nothing that was there',
      async (_, examples) => {
        await using database = await openShop(examples);
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
}
