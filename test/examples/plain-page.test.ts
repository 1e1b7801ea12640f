/** The page in the guide of browsers, which imports the client from the service. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { examplesIn } from '../docs/examples.ts';
import { startGuideShop } from '../docs/guide-shop.ts';
import { BROWSER_TEST_MS, openPage, sharedBrowser, untilTrue } from '../support/browser.ts';

const GUIDE = join(import.meta.dir, '../../docs/guides/browsers.md');

test(
  'a page imports the client from the service, and calls it if its origin is allowed',
  async () => {
    await using shop = await startGuideShop();
    const [example] = examplesIn(await Bun.file(GUIDE).text()).filter(
      ({ language }) => language === 'html',
    );
    const body = shop.fill(example?.text ?? '');
    const allowed = shop.fill('http://127.0.0.1:3000');
    for (const port of [Number(new URL(allowed).port), 0]) {
      using server = Bun.serve({
        hostname: '127.0.0.1',
        port,
        fetch: () => new Response(body, { headers: { 'content-type': 'text/html' } }),
      });
      const { origin } = server.url;
      await using opened = await openPage(await sharedBrowser(), shop.url);
      const { page } = opened;
      await page.goto(origin);
      await untilTrue(page, 'document.querySelector("form").onsubmit');
      await page.getByLabel('API key').fill(shop.key);
      await page.getByLabel('API key').press('Enter');
      if (origin === allowed) {
        await page.getByRole('listitem').first().waitFor();
        expect(await page.getByRole('listitem').count()).toBe(20);
      } else {
        const { host } = new URL(shop.url);
        const hint = `Could not reach ${host}: .*PETSTORE_CORS_ORIGINS must have ${origin}`;
        await page.getByText(new RegExp(hint)).waitFor();
      }
    }
  },
  BROWSER_TEST_MS,
);
