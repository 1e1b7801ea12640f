import { expect, test } from 'bun:test';
import { accessibilityViolations, BROWSER_TEST_MS, looksAt } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { openConsole, untilRows } from '../support/console.ts';

describeInBrowser('the overview', {}, (group) => {
  const added = async (path: string, body: object): Promise<number> =>
    JSON.parse((await group.petstore.writer.post(path, body)).text).id;

  browserTest('an empty shop welcomes those who may fill it, and then shows it', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { scopes: ['write'] });
    const { page, complaints } = opened;
    await page.getByRole('heading', { name: 'Welcome to Petstore' }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    const file = page.getByRole('link', { name: 'Import a file' });
    expect(await file.getAttribute('href')).toBe('/console/import');
    const animal = page.getByRole('link', { name: 'Add the first animal' });
    expect(await animal.getAttribute('href')).toBe('/console/animals?open=add');

    await using reading = await openConsole(group.browser, group.petstore, { scopes: ['read'] });
    await reading.page.getByText('ask a manager').waitFor();
    expect(await reading.page.getByRole('link', { name: 'Import a file' }).count()).toBe(0);

    // What somebody else adds ends the welcome.
    const dog = await added('/v1/categories', { name: 'Dog' });
    await added('/v1/pets', { name: 'Rex', categoryId: dog });
    await page.getByRole('link', { name: 'Available 1' }).waitFor();
    expect(complaints).toEqual([]);
  });

  browserTest('shows animals by status and category, and adoptions as a table too', async () => {
    const cat = await added('/v1/categories', { name: 'Cat' });
    for (const name of ['Tom', 'Kit']) await added('/v1/pets', { name, categoryId: cat });
    const petId = await added('/v1/pets', { name: 'Luna', categoryId: cat });
    const order = await added('/v1/store/orders', { petId });
    for (const status of ['approved', 'completed']) {
      await group.petstore.writer.patch(`/v1/store/orders/${order}`, { status });
    }
    await using opened = await openConsole(group.browser, group.petstore);
    const { page } = opened;
    await page.getByRole('link', { name: 'Available 3' }).waitFor();
    const sold = page.getByRole('link', { name: 'Adopted 1' });
    expect(await sold.getAttribute('href')).toBe('/console/animals?status=sold');
    const categories = page.getByRole('region', { name: 'Animals by category' });
    expect(await categories.getByRole('listitem').allInnerTexts()).toEqual([
      expect.stringMatching(/^Cat\s+3$/),
      expect.stringMatching(/^Dog\s+1$/),
    ]);
    const adoptions = page.getByRole('region', { name: 'Adoptions by week' });
    await adoptions.getByText('1 adoption completed in a year').waitFor();
    await adoptions.getByText('Show as table').click();
    const rows = adoptions.getByRole('table').getByRole('row');
    // The heading, and 52 weeks: the service's clock is in the week from 11 January 2027.
    expect(await rows.count()).toBe(53);
    expect(await rows.last().innerText()).toMatch(/^11 Jan\s+1$/);
  });

  browserTest('numbers and dates are in the locale of the reader', async () => {
    await using opened = await openConsole(group.browser, group.petstore, { locale: 'de-DE' });
    const { page } = opened;
    const adoptions = page.getByRole('region', { name: 'Vermittlungen pro Woche' });
    await adoptions.getByText('Als Tabelle anzeigen').click();
    await adoptions.getByRole('row', { name: /^11\. Jan/ }).waitFor();
  });

  browserTest('only administrators see requests and refusals', async () => {
    const limited = await group.petstore.keyWith({ plan: 'enterprise', perMinute: 2, perDay: 100 });
    for (let request = 0; request < 5; request++) await limited.client.get('/v1/pets');
    await group.petstore.clock.advance(60_000);
    await using opened = await openConsole(group.browser, group.petstore);
    const requests = opened.page.getByRole('region', { name: 'Requests by day' });
    await requests.getByText('Show as table').click();
    const today = requests.getByRole('row').last();
    await today.waitFor();
    expect(await today.getByRole('cell').count()).toBe(2);
    await using writing = await openConsole(group.browser, group.petstore, { scopes: ['write'] });
    await writing.page.getByRole('region', { name: 'Adoptions by week' }).waitFor();
    expect(await writing.page.getByRole('region', { name: 'Requests by day' }).count()).toBe(0);
  });

  browserTest(
    'says what there is to do to those who may do it, and follows what they do',
    async () => {
      const { petstore, browser } = group;
      const petId = await added('/v1/pets', { name: 'Waiting Wanda', categoryId: 1 });
      const listed = { species: 'dog', published: true, inCareSince: '2020-01-01' };
      await petstore.writer.patch(`/v1/pets/${petId}/profile`, listed);
      const order = await added('/v1/store/orders', { petId, adopter: 'PRIVATE' });
      await petstore.clock.advance(4 * 86_400_000);
      await using opened = await openConsole(browser, petstore, { scopes: ['write'] });
      const work = opened.page.getByRole('region', { name: 'To do' });
      const open = work
        .getByRole('listitem')
        .filter({ hasText: '1 adoption open for over 3 days' });
      const link = open.getByRole('link', { name: 'Waiting Wanda' });
      expect(await link.getAttribute('href')).toBe(`/console/adoptions?order=${order}`);
      const long = work
        .getByRole('listitem')
        .filter({ hasText: '1 animal in care for over 60 days' });
      const animal = long.getByRole('link', { name: 'Waiting Wanda' });
      expect(await animal.getAttribute('href')).toBe(`/console/animals/${petId}`);
      expect(await work.innerText()).not.toContain('PRIVATE');
      expect(await work.getByText('webhook').count()).toBe(0);

      await petstore.writer.patch(`/v1/store/orders/${order}`, { status: 'cancelled' });
      await open.waitFor({ state: 'detached' });
      await petstore.writer.delete(`/v1/pets/${petId}`);
      await work.getByText('There is nothing to do right now.').waitFor();

      await using reading = await openConsole(browser, petstore, { scopes: ['read'] });
      await reading.page.getByRole('region', { name: 'Adoptions by week' }).waitFor();
      expect(await reading.page.getByRole('region', { name: 'To do' }).count()).toBe(0);
    },
  );

  browserTest('each count leads to exactly what it counts', async () => {
    const { petstore, browser } = group;
    const animal = async (name: string, profile: object) => {
      const id = await added('/v1/pets', { name, categoryId: 1 });
      await petstore.writer.patch(`/v1/pets/${id}/profile`, profile);
      return id;
    };
    const shown = { species: 'dog', published: true };
    await animal('Long', { ...shown, inCareSince: '2025-01-01' });
    await animal('Long, hidden', { species: 'dog', inCareSince: '2025-01-01' });
    const ordered = await animal('New', shown);
    await animal('Held', { care: 'hold', careUntil: '2027-01-15' });
    await animal('Held longer', { care: 'hold', careUntil: '2028-01-15' });
    await added('/v1/store/orders', { petId: ordered, adopter: 'Ana' });
    await petstore.clock.advance(4 * 86_400_000);
    const newer = await animal('Newer', {});
    await added('/v1/store/orders', { petId: newer, adopter: 'Ben' });
    await using opened = await openConsole(browser, petstore, { path: '/console/account' });
    const { page } = opened;
    await page.clock.install({ time: petstore.clock.now() });
    for (const [group, names] of [
      ['in care for over 60 days', ['Long']],
      ['shown to the public without a photo', ['New', 'Long']],
      ['past the last day', ['Held']],
      ['open for over 3 days', ['New']],
    ] as const) {
      await page.goto(`${petstore.url}/console`);
      const item = page.getByRole('heading', { level: 3 }).filter({ hasText: group });
      expect(await item.innerText()).toStartWith(`${names.length} `);
      await item.getByRole('link').click();
      await untilRows(page, names);
    }
  });

  test.each(looksAt(1280, 320))(
    'has no accessibility violation in $colorScheme at $width, and nothing overflows',
    async ({ colorScheme, width }) => {
      const viewport = { width, height: 740 };
      const petId = await added('/v1/pets', { name: 'Rex', categoryId: 1 });
      const listed = { species: 'dog', published: true };
      await group.petstore.writer.patch(`/v1/pets/${petId}/profile`, listed);
      await using opened = await openConsole(group.browser, group.petstore, {
        colorScheme,
        viewport,
      });
      const { page } = opened;
      await page
        .getByRole('region', { name: 'To do' })
        .getByRole('heading', { level: 3 })
        .first()
        .waitFor();
      for (const name of ['Adoptions by week', 'Requests by day']) {
        await page.getByRole('region', { name }).getByText('Show as table').click();
      }
      expect(await accessibilityViolations(page)).toEqual([]);
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
    },
    BROWSER_TEST_MS,
  );
});
