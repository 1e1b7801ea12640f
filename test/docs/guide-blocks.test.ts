import { describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useClientSource } from '../client/source.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { GUIDE_MS, guides, textOf } from './guides.ts';

const ROOT = join(import.meta.dir, '../..');

describe('the examples of the guides', () => {
  test('exist in every language', () => {
    const languages = new Set(guides.flatMap(([, all]) => all.map(({ language }) => language)));
    for (const language of ['sh', 'json', 'http', 'ts', 'py'])
      expect([...languages]).toContain(language);
  });

  test('are all blocks, also those in lists', () => {
    for (const [name, examples] of guides) {
      const fences = textOf(name).match(/^ *```/gm) ?? [];
      expect([name, examples.length * 2]).toEqual([name, fences.length]);
    }
    const count = guides.reduce((all, [, examples]) => all + examples.length, 0);
    console.log(`${count} blocks in ${guides.length} guides`);
    expect(count).toBeGreaterThan(150);
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
