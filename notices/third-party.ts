import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { packageNotices, RULE } from './packages.ts';

const ROOT = join(import.meta.dir, '..');
const DOUBLE_RULE = '='.repeat(72);

/** Where the notices are kept. */
export const NOTICES_PATH = join(ROOT, 'THIRD-PARTY-NOTICES.txt');

/** Noticed by itself, with what it links. */
const RUNTIME = [/^bun$/, /^@oven\//];

/** The notices of all that the executable and its pages contain, from what is installed here. */
export function thirdPartyNotices(): string {
  const runtime = [
    read('bun.txt'),
    ...['LGPL-2.0', 'LGPL-2.1', 'Apache-2.0'].map((name) => read(`licences/${name}.txt`)),
  ];
  const chapters = {
    'The runtime': runtime.join(`\n\n${RULE}\n\n`),
    'Packages inside the program': packageNotices(ROOT, RUNTIME),
    'The reference page': read('scalar.txt'),
  };
  const texts = Object.entries(chapters).map(
    ([title, text]) => `${DOUBLE_RULE}\n${title}\n${DOUBLE_RULE}\n\n${text}\n`,
  );
  return `Petstore contains work of others. These are their notices.\n\n${texts.join('\n')}`;
}

function read(name: string): string {
  return readFileSync(join(import.meta.dir, name), 'utf8').trimEnd();
}
