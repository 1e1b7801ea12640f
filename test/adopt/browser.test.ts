import { expect } from 'bun:test';
import { looksWrong, openPage, untilTrue } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { addListed, WHOLE } from './shelter.ts';

/** How far the content of a page moved after it was first shown. */
const SHIFT = `new Promise((resolve) => {
  let shift = 0;
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value;
  }).observe({ type: 'layout-shift', buffered: true });
  requestAnimationFrame(() => setTimeout(() => resolve(shift), 0));
})`;

describeInBrowser('the public pages', {}, (group) => {
  let paths: readonly string[] | undefined;

  async function pages(): Promise<readonly string[]> {
    if (paths !== undefined) return paths;
    const { petstore } = group;
    const rex = await addListed(petstore, 'Rex', WHOLE, 3);
    const zoe = await addListed(petstore, 'Zoë', { species: 'cat' });
    const luna = await addListed(petstore, 'Luna', WHOLE, 1);
    await petstore.writer.patch(`/v1/pets/${luna}`, { status: 'sold' });
    await petstore.writer.patch(`/v1/pets/${zoe}`, { status: 'pending' });
    await petstore.admin.patch('/v1/shop', {
      ...{ name: 'Shelter by the Lake', address: 'Lake Road 1\n8000 Town', hours: 'Mon–Sat 2–5' },
      ...{ telephone: '+41 44 555 01 02', email: 'a@shelter.example', accentColour: '#ffcc00' },
      howToAdopt: 'Write to us.\n\nVisit us.',
    });
    paths = [
      ...['/adopt', '/adopt?sex=female&lang=de', '/adopt?species=fish', '/adopt/nowhere'],
      ...[`/adopt/${rex}/rex`, `/adopt/${zoe}/zoe?lang=de`, `/adopt/${luna}/luna`],
      ...[`/adopt/${rex}/card`, `/adopt/${rex}/enquiry`],
    ];
    return paths;
  }

  browserTest(
    'are for everybody: axe finds nothing, nothing moves, nothing is foreign',
    async () => {
      const all = await pages();
      const found: Record<string, string[]> = {};
      for (const path of all) {
        await using opened = await openPage(group.browser, group.petstore.url);
        const { page, complaints } = opened;
        await page.setViewportSize({ width: 390, height: 844 });
        await page.goto(group.petstore.url + path, { waitUntil: 'load' });
        const moved = await page.evaluate<number>(SHIFT);
        const looks = (['light', 'dark'] as const).flatMap((colorScheme) =>
          [320, 1280].map((width) => ({ colorScheme, width })),
        );
        found[path] = await looksWrong(page, looks);
        if (moved > 0) found[path].push(`moved by ${moved}`);
        // The pages that say that something is missing have a status that Chromium notes.
        found[path].push(...complaints.filter((text) => !/status of 4(?:00|04)/.test(text)));
      }
      expect(found).toEqual(Object.fromEntries(all.map((path) => [path, []])));
    },
  );

  browserTest('work whole without JavaScript, by keyboard', async () => {
    await pages();
    const { url } = group.petstore;
    await using opened = await openPage(group.browser, url, { javaScriptEnabled: false });
    const { page } = opened;
    await page.goto(`${url}/adopt`);
    await page.getByText('Search and filter').press('Enter');
    await page.getByLabel('Female').check();
    await page.getByLabel('Search', { exact: true }).fill('bóxer');
    await page.getByLabel('Search', { exact: true }).press('Enter');
    await page.waitForURL(/sex=female/);
    expect(await page.getByRole('heading', { level: 2 }).first().innerText()).toBe('Rex');
    await page.getByRole('link', { name: 'Rex' }).press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Rex' }).waitFor();
    expect(await page.getByRole('img', { name: 'Rex, Dog' }).first().isVisible()).toBe(true);
    expect(await page.getByRole('button', { name: 'Share' }).isVisible()).toBe(false);
    await page.getByRole('link', { name: 'Deutsch' }).click();
    await page.getByText('noch nicht bekannt').or(page.getByText('mit manchen')).first().waitFor();
  });

  browserTest('the form leads back to itself, once what was refused is sent again', async () => {
    await pages();
    const { url } = group.petstore;
    await using opened = await openPage(group.browser, url);
    const { page, complaints } = opened;
    const form = paths?.find((path) => path.endsWith('/enquiry')) ?? '';
    await page.goto(`${url}${form}?lang=en`);
    await page.getByLabel('Your name').fill('Robin');
    await page.getByLabel('Your message').fill('May we visit her?');
    await page.getByLabel('You may keep this').check();
    const send = page.getByRole('button', { name: 'Send' });
    await send.click();
    await page.getByRole('alert').waitFor();
    expect(await page.getByLabel('Your message').inputValue()).toBe('May we visit her?');
    await page.getByLabel('E-mail').fill('robin@example.com');
    await send.click();
    await page.getByRole('heading', { name: 'Thank you for your message' }).waitFor();
    await page.goBack();
    await page.getByLabel('Your message').waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(page.url()).toBe(`${url}${form}?lang=en`);
    expect(complaints.filter((text) => !/status of 400/.test(text))).toEqual([]);
  });

  browserTest('a long name of the shop wraps, and languages start where all does', async () => {
    await pages();
    const { url, admin } = group.petstore;
    const { json: shop } = await admin.get('/v1/shop');
    await admin.patch('/v1/shop', { name: `Tierschutz${'verein'.repeat(12)}` });
    try {
      await using opened = await openPage(group.browser, url);
      const { page } = opened;
      await page.setViewportSize({ width: 320, height: 700 });
      await page.goto(`${url}/adopt?lang=en`);
      const ends = `[...document.querySelectorAll('.brand, .languages a, h1')].map((element) => {
        const range = document.createRange();
        range.selectNodeContents(element);
        const { left, right } = range.getBoundingClientRect();
        return [Math.round(left), right <= 320];
      })`;
      const [brand, first, second, , title] = await page.evaluate<[number, boolean][]>(ends);
      expect([brand?.[0], first?.[0]]).toEqual([title?.[0], title?.[0]]);
      expect([brand?.[1], second?.[1]]).toEqual([true, true]);
    } finally {
      await admin.patch('/v1/shop', { name: shop.name });
    }
  });

  browserTest('the widget shows animals on a strict foreign page', async () => {
    await pages();
    const { url } = group.petstore;
    using foreign = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: foreignPage });
    function foreignPage(request: Request): Response {
      const { pathname, search } = new URL(request.url);
      if (pathname !== '/') return new Response(null, { status: 404 });
      const source = search === '' ? url : 'http://127.0.0.1:9';
      const policy = `default-src 'none'; script-src ${url}; connect-src ${source}; img-src ${url} data:`;
      const body = `<!doctype html><html lang="de"><title>Our site</title><link rel="icon" href="data:,"><main><h1>Our site</h1>
<adoptable-animals sort="name" limit="5"><a href="${url}/adopt">Our animals</a></adoptable-animals></main>
<script src="${url}/adopt/embed.js" defer></script></html>`;
      const headers = { 'content-type': 'text/html', 'content-security-policy': policy };
      return new Response(body, { headers });
    }
    const context = await group.browser.newContext();
    try {
      const page = await context.newPage();
      const errors: string[] = [];
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      page.on('pageerror', (error) => errors.push(error.message));
      await page.goto(foreign.url.href);
      const widget = page.locator('adoptable-animals');
      await widget.getByRole('link', { name: 'Rex' }).waitFor();
      expect(await widget.getByRole('listitem').count()).toBe(2);
      expect(await widget.getByRole('link').allInnerTexts()).toEqual([
        'Rex',
        'Zoë',
        'Alle Tiere ansehen',
      ]);
      await widget.getByText('Reserviert').waitFor();
      await page.keyboard.press('Tab');
      expect(
        await page.evaluate(`document.activeElement.shadowRoot.activeElement.textContent`),
      ).toBe('Rex');
      await untilTrue(
        page,
        `[...document.querySelector('adoptable-animals').shadowRoot.querySelectorAll('img')].some((image) => image.naturalWidth > 0)`,
      );
      expect(errors).toEqual([]);
      await page.evaluate(
        `document.querySelector('adoptable-animals').setAttribute('species', 'cat')`,
      );
      await widget.getByRole('link', { name: 'Rex' }).waitFor({ state: 'detached' });
      await page.goto(`${foreign.url.href}?down`);
      await widget.getByRole('status').getByText('nicht anzeigen').waitFor();
      expect(await widget.getByRole('link', { name: 'Our animals' }).isVisible()).toBe(true);
    } finally {
      await context.close();
    }
  });
});
