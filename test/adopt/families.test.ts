import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import { openPage, untilTrue } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { addListed, WHOLE } from './shelter.ts';

const LONG = 'Donaudampfschifffahrtsgesellschaftskapitän'.repeat(3).slice(0, 100);

describeInBrowser('families on the public pages', {}, (group) => {
  let ids: Promise<Record<'rex' | 'long', bigint>> | undefined;
  const animals = () => {
    ids ??= fill();
    return ids;
  };
  async function fill() {
    const { petstore } = group;
    const telephone = '+41 44 555 01 02';
    await petstore.admin.patch('/v1/shop', {
      name: 'Shelter',
      telephone,
      hours: 'Daily 2–5',
      address: 'Way 1\nTown',
    });
    const film = `${petstore.url}/adopt/film.mp4`;
    const rex = await addListed(petstore, 'Rex', WHOLE, 3);
    await petstore.writer.patch(`/v1/pets/${rex}/profile`, {
      videoUrl: film.replace('http:', 'https:'),
    });
    const told = {
      breed: LONG,
      headline: LONG.slice(0, 80),
      description: LONG,
      specialNeeds: true,
      specialNeedsNote: LONG,
    };
    const long = await addListed(
      petstore,
      LONG,
      { ...told, sex: 'female', goodWithChildren: 'over_5' },
      1,
    );
    for (let n = 0; n < 8; n++) {
      await addListed(
        petstore,
        `Dog ${n}`,
        { sex: n % 2 === 0 ? 'female' : 'male', goodWithChildren: 'yes' },
        1,
      );
    }
    return { rex, long };
  }
  const phone = { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true };
  const bottomOf = (page: Page, selector: string) =>
    page.evaluate<number>(`document.querySelector('${selector}').getBoundingClientRect().bottom`);

  browserTest('a face is on the first screen of a phone, filtered or not', async () => {
    await animals();
    const { url } = group.petstore;
    await using opened = await openPage(group.browser, url, phone);
    const { page, complaints } = opened;
    for (const path of ['/adopt', '/adopt?sex=female&children=5&sort=name&lang=de']) {
      await page.goto(url + path);
      expect(await bottomOf(page, '.card .photo')).toBeLessThan(740);
    }
    // Chips come off one by one.
    await page.getByRole('link', { name: 'Filter entfernen: Weiblich' }).click();
    await page.waitForURL((address) => !address.search.includes('sex='));
    expect(page.url()).toContain('children=5');
    // The button stays in sight while somebody chooses, and tells how many there are.
    await page.getByText('Suchen und filtern').click();
    const show = page.getByRole('button', { name: /Tiere? anzeigen/ });
    const before = await show.innerText();
    await page.getByLabel('Männlich').check();
    await untilTrue(
      page,
      `document.querySelector('#filters .do .button').textContent !== ${JSON.stringify(before)}`,
    );
    const box = await show.boundingBox();
    expect((box?.y ?? 999) + (box?.height ?? 0)).toBeLessThanOrEqual(740);
    const promised = Number.parseInt(await show.innerText(), 10);
    await show.click();
    await page.waitForURL(/sex=male/);
    expect(await page.locator('.card').count()).toBe(promised);
    expect(complaints).toEqual([]);
  });

  browserTest('the question stays in sight, with telephone, hours and address', async () => {
    const { rex } = await animals();
    const { url } = group.petstore;
    for (const options of [phone, { viewport: { width: 1366, height: 768 } }]) {
      await using opened = await openPage(group.browser, url, options);
      const { page } = opened;
      await page.goto(`${url}/adopt/${rex}/rex`);
      for (const place of [0, 0.5]) {
        await page.evaluate(
          `scrollTo(0, document.querySelector('.story').offsetHeight * ${place})`,
        );
        const links = await page.getByRole('link', { name: 'Ask about Rex' }).all();
        const tops = await Promise.all(
          links.map(async (link) => (await link.boundingBox())?.y ?? -1),
        );
        expect(tops.some((top) => top >= 0 && top < options.viewport.height - 40)).toBe(true);
      }
      const asked = page.getByRole('complementary', { name: 'Contact' });
      expect(await asked.innerText()).toMatch(/Way 1.*\+41 44 555 01 02.*Daily 2–5/s);
    }
  });

  browserTest(
    'photos open large and whole, by keyboard, without a history of their own',
    async () => {
      const { rex } = await animals();
      const { url } = group.petstore;
      await using opened = await openPage(group.browser, url);
      const { page, complaints } = opened;
      await page.goto(`${url}/adopt/${rex}/rex`);
      const entries = await page.evaluate<number>('history.length');
      await page.locator('.thumbs a').nth(2).click();
      await page.locator('[data-photo="0"]').press('Enter');
      const dialog = page.getByRole('dialog');
      await dialog.getByText('Photo 1 of 3').waitFor();
      await page.keyboard.press('ArrowRight');
      await dialog.getByText('Photo 2 of 3').waitFor();
      await page.keyboard.press('ArrowLeft');
      await page.keyboard.press('ArrowLeft');
      await dialog.getByText('Photo 3 of 3').waitFor();
      expect(
        await page.evaluate(`getComputedStyle(document.querySelector('.large img')).objectFit`),
      ).toBe('contain');
      await untilTrue(page, `document.querySelector('.large img').naturalWidth > 0`);
      await page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      expect(await page.evaluate(`document.activeElement.dataset.photo`)).toBe('2');
      expect(await page.evaluate<number>('history.length')).toBe(entries);
      expect(page.url()).toBe(`${url}/adopt/${rex}/rex`);
      // A film plays in its place once somebody wants to see it.
      expect(await page.locator('video').count()).toBe(0);
      expect(complaints).toEqual([]);
      await page.getByRole('link', { name: 'Watch a video' }).click();
      expect(await page.locator('video').count()).toBe(1);
    },
  );

  browserTest('a name of 100 letters fits 320 pixels at twice the size of text', async () => {
    const { long } = await animals();
    const { url } = group.petstore;
    await using opened = await openPage(group.browser, url, {
      viewport: { width: 320, height: 640 },
    });
    const { page } = opened;
    const address = JSON.parse((await group.petstore.reader.get(`/v1/pets/${long}`)).text).id;
    for (const path of [
      '/adopt',
      `/adopt/${address}`,
      `/adopt/${long}/enquiry`,
      `/adopt/${long}/card`,
      '/adopt?q=nothing-like-this',
      '/adopt/nowhere',
    ]) {
      await page.goto(url + path);
      await page.evaluate(`document.documentElement.style.fontSize = '200%'`);
      const width = await page.evaluate('document.documentElement.scrollWidth');
      expect([path, width]).toEqual([path, 320]);
    }
  });

  browserTest('a kennel card is one sheet, however much is known', async () => {
    const { long, rex } = await animals();
    const { url, writer } = group.petstore;
    await writer.patch(`/v1/pets/${rex}/profile`, {
      description: 'A long story, told at length. '.repeat(130),
    });
    await using opened = await openPage(group.browser, url);
    const { page } = opened;
    for (const id of [rex, long]) {
      for (const format of ['A4', 'Letter']) {
        await page.goto(`${url}/adopt/${id}/card`);
        const pdf = await page.pdf({
          format,
          preferCSSPageSize: false,
          margin: { top: '12mm', bottom: '12mm' },
        });
        expect(pdf.toString('latin1').match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
      }
      await page.emulateMedia({ media: 'print' });
      const code = await page.locator('.code').boundingBox();
      expect((code?.y ?? 0) + (code?.height ?? 9_999)).toBeLessThan(250 * 3.78);
      await page.emulateMedia({ media: null });
    }
  });

  browserTest('the widget runs as a module, from a copied file, and leaves a frame', async () => {
    const { rex } = await animals();
    const { url } = group.petstore;
    const copy = await (await fetch(`${url}/adopt/embed.js`)).text();
    const element = '<adoptable-animals q="rex" status="available" lang="en"></adoptable-animals>';
    const theme = '<style>* { text-indent: 40px; text-transform: uppercase }</style>';
    const kinds: Record<string, string> = {
      '/module': `${element}<script type="module" src="${url}/adopt/embed.js"></script>`,
      '/copy': `${theme}${element}<script src="/copied.js"></script>`,
      '/inner': `${element}<script src="${url}/adopt/embed.js"></script>`,
      '/frame': '<iframe src="/inner" width="600" height="600"></iframe>',
    };
    using foreign = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch(request) {
        const { pathname } = new URL(request.url);
        if (pathname === '/copied.js') {
          return new Response(copy, { headers: { 'content-type': 'text/javascript' } });
        }
        const headers = { 'content-type': 'text/html; charset=utf-8' };
        return new Response(`<!doctype html>${kinds[pathname] ?? ''}`, { headers });
      },
    });
    const context = await group.browser.newContext();
    try {
      const page = await context.newPage();
      for (const kind of ['/module', '/copy']) {
        await page.goto(new URL(kind, foreign.url).href);
        const card = page.locator('adoptable-animals').getByRole('listitem').first();
        await card.getByText(/Female\s· about \d+ years/).waitFor();
        const indent = `getComputedStyle(
          document.querySelector('adoptable-animals').shadowRoot.querySelector('li a')).textIndent`;
        expect(await page.evaluate<string>(indent)).toBe('0px');
      }
      await page.goto(new URL('/frame', foreign.url).href);
      await page.frameLocator('iframe').getByRole('link', { name: 'Rex' }).click();
      await page.waitForURL(`${url}/adopt/${rex}/rex`);
    } finally {
      await context.close();
    }
  });
});
