import { beforeAll, expect, setSystemTime, test } from 'bun:test';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import { makeFile } from '../../src/channels/file.ts';
import { FORMATS } from '../../src/channels/formats.ts';
import { importSampleAnimals } from '../../src/cli/sample-animals.ts';
import { describeSample } from '../../src/cli/sample-profiles.ts';
import { CHANNEL_KINDS, type ChannelKind } from '../../src/domain/channel.ts';
import { openSubject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { chosenEngine } from '../support/engines.ts';
import { forAllTests } from '../support/lifetime.ts';

/*
 * The files of the demonstration shop beside the descriptions of their formats, column by column: `expected/KIND.md` is to be
 * read by people. One that is removed is written again.
 */

const ROOT = 'https://shop.example';
const AT = Date.UTC(2027, 0, 15);
/** Animals that are shown of each file, the first ones; and photos of the first. */
const SHOWN = 4;
const PHOTOS = 7;

const subject = forAllTests(() => openSubject(chosenEngine()));
beforeAll(async () => {
  const { storage } = subject;
  // The animals of the sample are as old on the day that they are imported as they once were.
  setSystemTime(AT);
  await importSampleAnimals(storage);
  await describeSample(storage);
  setSystemTime();
  const order = { filter: {}, sort: 'newest', after: undefined, at: AT, fairDay: 0 } as const;
  const { items } = await storage.listings.list({ ...order, limit: SHOWN });
  for (const { pet } of items) {
    for (let n = 0; n < PHOTOS; n++) {
      const photo = { sha256: `${n}`.repeat(64), alt: '', width: 700, height: 500 };
      await storage.photos.add(pet.id, photo, CHANGE_STAMP);
    }
  }
});

const cell = (text: string) => text.replaceAll('|', '\\|') || ' ';

async function described(kind: ChannelKind, photosAs: 'addresses' | 'uploads'): Promise<string> {
  const format = FORMATS[kind];
  const parts = { listings: subject.storage.listings, root: ROOT, pagesRoot: ROOT };
  const file = await makeFile({ kind, accountId: 'ON101', photosAs }, parts, AT);
  const [, ...rows]: string[][] = parse(file.text);
  const animals = rows.slice(0, SHOWN);
  const table = format.columns.map(({ header, fact = '', words = {}, only = [] }, n) => {
    const told = Object.entries(words).map(([ours, theirs]) => `${ours}: ${theirs}`);
    const holds = [fact, ...told, ...(only.length > 0 ? [`only ${only.join()}`] : [])].join('; ');
    return `| ${[header, holds, ...animals.map((row) => row[n] ?? '')].map(cell).join(' | ')} |`;
  });
  const counts = new Map<string, number>();
  for (const { reason } of file.leftOut) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return [
    `## Photos ${photosAs === 'uploads' ? `uploaded to ${format.photos.folder}/` : 'as addresses'}\n`,
    `\`${file.name}\` has ${file.rows} animals; left out: ${JSON.stringify(Object.fromEntries(counts))}.`,
    `Photos beside it: ${file.photos.map(({ name }) => name).join(' ') || 'none'}.\n`,
    `| column | holds | ${animals.map((_, n) => `animal ${n + 1}`).join(' | ')} |`,
    `|---|---|${'---|'.repeat(animals.length)}`,
    ...table,
    `\nIts first lines:\n\n\`\`\`csv\n${file.text.split('\r\n').slice(0, 3).join('\n')}\n\`\`\`\n`,
  ].join('\n');
}

test.each(CHANNEL_KINDS)('%s', async (kind) => {
  const title = `# ${kind}\n\n${FORMATS[kind].source}\n`;
  const parts = [await described(kind, 'addresses'), await described(kind, 'uploads')];
  const text = [title, ...parts].join('\n');
  const path = join(import.meta.dir, 'expected', `${kind}.md`);
  if (!existsSync(path)) writeFileSync(path, text);
  expect(text).toBe(readFileSync(path, 'utf8'));
});
