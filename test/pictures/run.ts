/** Makes the pictures in `docs/images` from the demo. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { Petstore } from '../../packages/client/src/index.ts';
import { launchBrowser, untilTrue } from '../support/browser.ts';
import { untilIllustrated } from '../support/sample-pictures.ts';
import { describeAnimal } from './described-animal.ts';

const ROOT = join(import.meta.dir, '../..');
const DESK = { viewport: { width: 1440, height: 900 } };
const PHONE = {
  ...{ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 },
  ...{ isMobile: true, hasTouch: true },
};

interface Picture extends BrowserContextOptions {
  readonly name: string;
  readonly path: string;
  /** Text that is there once the page is complete. */
  readonly shows: string;
  readonly prepare?: (page: Page) => Promise<unknown>;
}

/** The address of the page of the animal that `describeAnimal` describes. */
const ANIMAL = '/console/animals/ANIMAL';
const OPERATION = '/docs#tag/animals/GET/pets';
const PICTURES: readonly Picture[] = [
  { name: 'reference-light', path: OPERATION, shows: 'X-Total-Count', ...DESK },
  { name: 'reference-dark', path: OPERATION, shows: 'X-Total-Count', ...DESK },
  { name: 'console-overview-light', path: '/console', shows: 'completed in a year', ...DESK },
  { name: 'console-animals-light', path: '/console/animals', shows: 'of 26', ...DESK },
  { name: 'console-animal-light', path: ANIMAL, shows: 'Shown to the public', ...DESK },
  { name: 'console-animal-phone-dark', path: ANIMAL, shows: 'Shown to the public', ...PHONE },
  { name: 'console-adoptions-light', path: '/console/adoptions', shows: 'Brandt', ...DESK },
  { name: 'adopt-light', path: '/adopt', shows: 'animals', ...DESK },
  { name: 'adopt-animal-phone-light', path: '/adopt/ANIMAL', shows: 'At a glance', ...PHONE },
  { name: 'console-key-dark', path: '/console/keys?key=1', shows: 'in the last 7 days', ...DESK },
  { name: 'console-animals-phone-dark', path: '/console/animals', shows: 'of 26', ...PHONE },
  {
    ...{ name: 'console-order-phone-light', path: '/console/adoptions', ...PHONE },
    shows: 'New adoption',
    async prepare(page) {
      await page.getByRole('button', { name: 'New adoption' }).click();
      await page.getByRole('dialog').getByRole('combobox').first().fill('be');
      await page.getByRole('dialog').getByRole('option').first().waitFor();
    },
  },
];

/** Whether all pictures on the screen are there. */
const SEEN = `[...document.images].every((one) =>
  one.complete || one.getBoundingClientRect().top > innerHeight ||
  one.getBoundingClientRect().left >= innerWidth)`;

/** Who adopts, and how far they have come. */
const ADOPTERS = [
  ['The Alvarez family', 'placed'],
  ['Mina Okafor', 'placed'],
  ['J. Lindqvist', 'approved'],
  ['Sam and Kit Rowe', 'approved'],
  ['P. Nowak', 'completed'],
  ['The Haddad family', 'completed'],
  ['T. Brandt', 'completed'],
  ['R. Silva', 'cancelled'],
] as const;

/** Starts the demo, and returns its address and its first key. */
async function startDemo(folder: string) {
  const database = `sqlite:${join(folder, 'petstore.db')}`;
  const options = ['--database', database, '--port', '0', '--ops-port', 'off'];
  const demo = Bun.spawn(['bun', join(ROOT, 'src/main.ts'), 'demo', ...options], {
    stdout: 'pipe',
    stderr: 'pipe',
  });
  let text = '';
  const read = async (stream: ReadableStream<Uint8Array>) => {
    const decoder = new TextDecoder();
    for await (const chunk of stream) {
      text += decoder.decode(chunk, { stream: true });
      const url = /Console: (\S+)\/console/.exec(text)?.[1];
      const key = /^petstore_live_\S+/m.exec(text)?.[0];
      if (url && key) return { url, key };
    }
    throw new Error(`The demo has ended: ${text}`);
  };
  const found = await Promise.any([read(demo.stdout), read(demo.stderr)]);
  return { ...found, demo };
}

/** Adds adoptions, and requests to show. */
async function fill(store: Petstore): Promise<void> {
  const { items } = await store.pets.list({ status: 'available', limit: 60 });
  const named = items.filter(({ name }) => /^[A-Z][a-z]+$/.test(name));
  for (const [index, [adopter, status]] of ADOPTERS.entries()) {
    const petId = named[index]?.id ?? 0;
    const order = await store.orders.place({ petId, adopter, contact: 'family@example.org' });
    if (status === 'completed') await store.orders.update(order.id, { status: 'approved' });
    if (status !== 'placed') await store.orders.update(order.id, { status });
  }
  for (let request = 0; request < 40; request++) await store.pets.list({ limit: 1 });
  // The use of keys is stored about once a second.
  await Bun.sleep(2_000);
}

const folder = await mkdtemp(join(tmpdir(), 'petstore-pictures-'));
const { url, key, demo } = await startDemo(folder);
const browser = await launchBrowser();
try {
  const store = new Petstore({ baseUrl: `${url}/v1`, apiKey: key });
  await untilIllustrated(url, key);
  const animal = await describeAnimal(store, browser);
  await fill(store);
  for (const { name, path, shows, prepare, ...options } of PICTURES) {
    const colorScheme = name.endsWith('dark') ? 'dark' : 'light';
    const looks = { colorScheme, locale: 'en-GB', reducedMotion: 'reduce' } as const;
    const context = await browser.newContext({ ...looks, ...options });
    await context.request.post(`${url}/console/session`, {
      data: { key },
      headers: { origin: url },
    });
    const page = await context.newPage();
    await page.goto(url + path.replace('ANIMAL', String(animal)));
    await prepare?.(page);
    // A closed filter has some of the same words.
    await page.getByText(shows).filter({ visible: true }).first().waitFor();
    await untilTrue(page, SEEN);
    await page.screenshot({ path: join(ROOT, 'docs/images', `${name}.png`) });
    console.log(`docs/images/${name}.png`);
    await context.close();
  }
} finally {
  await browser.close();
  demo.kill();
  await demo.exited;
  await rm(folder, { recursive: true });
}
