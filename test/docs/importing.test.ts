import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { examplesIn } from './examples.ts';
import { startGuideRun } from './guide-run.ts';
import { startGuideShop } from './guide-shop.ts';

const IMPORTING = join(import.meta.dir, '../../docs/IMPORTING.md');

/** Each command is a process, which takes long on a busy machine. */
const PAGE_MS = 120_000;

test(
  'the commands of docs/IMPORTING.md do what it says',
  async () => {
    const examples = examplesIn(readFileSync(IMPORTING, 'utf8'));
    expect(examples.filter(({ language }) => language === 'text').length).toBeGreaterThan(4);
    await using database = await startGuideShop();
    const run = startGuideRun(database);
    for (const example of examples) await run.execute(example);
  },
  PAGE_MS,
);
