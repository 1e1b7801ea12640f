import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import {
  accessibilityViolations,
  BROWSER_TEST_MS,
  openPage,
  untilTrue,
} from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';

/** An operation with and one without a test panel, in a document for this test. */
function testDocument(url: string) {
  const operation = (operationId: string, summary: string) => ({
    operationId,
    summary,
    tags: ['Orders'],
    security: [{ apiKey: [] }],
    responses: { '200': { description: 'The response.' } },
  });
  return {
    openapi: '3.1.0',
    info: { title: 'Test', version: '1.0.0' },
    servers: [{ url }],
    tags: [{ name: 'Store' }, { name: 'Orders', 'x-parent': 'Store' }],
    paths: {
      '/marked': { get: { ...operation('marked', 'Marked'), 'x-hideTryItPanel': true } },
      '/plain': {
        get: { ...operation('plain', 'Plain'), 'x-hideTryItPanel': false, 'x-stability': 'beta' },
      },
    },
    components: { securitySchemes: { apiKey: { type: 'http', scheme: 'bearer' } } },
  };
}

async function openPanel(page: Page, address: string, button: RegExp): Promise<void> {
  await page.goto(address);
  await page.getByRole('button', { name: button }).click();
  await page.getByRole('dialog').waitFor();
}

type Box = { x: number; y: number; width: number; height: number } | null;

function overlap(one: Box, other: Box): boolean {
  if (one === null || other === null) return false;
  const intersects = (start: number, size: number, otherStart: number, otherSize: number) =>
    Math.min(start + size, otherStart + otherSize) - Math.max(start, otherStart) > 1;
  return (
    intersects(one.x, one.width, other.x, other.width) &&
    intersects(one.y, one.height, other.y, other.height)
  );
}

function isInside(one: Box, other: Box): boolean {
  if (one === null || other === null) return false;
  return one.x >= other.x - 1 && one.x + one.width <= other.x + other.width + 1;
}

describeInBrowser('the reference', {}, (group) => {
  browserTest(
    'its test panel adds an animal to the service, and shows every digit of an int64',
    async () => {
      await using opened = await openPage(group.browser, group.petstore.url);
      const { page, complaints } = opened;
      const address = `${group.petstore.url}/docs#tag/animals/POST/pets`;
      await openPanel(page, address, /Test Request.*post \/pets\b/);
      const panel = page.getByRole('dialog');
      await panel.getByRole('textbox', { name: /token/i }).fill(group.petstore.writer.key ?? '');
      await panel
        .locator('.cm-content')
        .first()
        .fill('{"name":"Nova","categoryId":9223372036854775807}');
      // The form would round the number.
      expect(await panel.getByRole('button', { name: 'Form', exact: true }).count()).toBe(0);
      // No cookies either: the service uses none.
      expect(await panel.getByText('Headers', { exact: true }).first().isVisible()).toBe(true);
      expect(await panel.getByText('Cookies').locator('visible=true').count()).toBe(0);
      // Both the modal panel and the page behind it have a main landmark.
      const except = ['landmark-no-duplicate-main'];
      expect(await accessibilityViolations(page, except)).toEqual([]);
      await panel.getByRole('button', { name: /^Send/ }).locator('visible=true').first().click();
      await panel.getByText('201 Created').waitFor();
      const shown = await panel.locator('.cm-content').last().innerText();
      expect(shown).toContain('"categoryId": 9223372036854775807');

      const { text } = await group.petstore.reader.get('/v1/pets?name=Nova');
      expect(text).toContain('"name":"Nova","categoryId":9223372036854775807');
      expect(complaints).toEqual([]);
    },
  );

  browserTest(
    'an operation with x-hideTryItPanel has no panel, but the one beside it does',
    async () => {
      await using opened = await openPage(group.browser, group.petstore.url);
      const { page, complaints } = opened;
      const json = testDocument(group.petstore.baseUrl);
      await page.route('**/openapi.json', (route) => route.fulfill({ json }));
      await page.goto(`${group.petstore.url}/docs#tag/orders/GET/marked`);
      await page.getByText('The test panel is off for this operation.').waitFor();
      await page.getByRole('button', { name: /Test Request.*\/plain/ }).waitFor();
      expect(await page.getByRole('button', { name: /Test Request.*\/marked/ }).count()).toBe(0);
      expect(await page.getByText('The test panel is off').count()).toBe(1);
      expect(await page.getByText('Beta', { exact: true }).count()).toBe(1);

      // The panel of another operation does not lead to it either.
      await page.getByRole('button', { name: /Test Request.*\/plain/ }).click();
      const panel = page.getByRole('dialog');
      await panel.getByRole('button', { name: /^Send/ }).locator('visible=true').first().waitFor();
      expect(await panel.getByText('Marked').locator('visible=true').count()).toBe(0);
      expect(complaints).toEqual([]);
    },
  );

  test.each([390, 1440])(
    'no status of a response is covered by another or by a button, at a width of %d',
    async (width) => {
      const viewport = { width, height: 850 };
      await using opened = await openPage(group.browser, group.petstore.url, { viewport });
      const { page } = opened;
      // The operation with the most statuses.
      await page.goto(`${group.petstore.url}/docs#tag/animals/PATCH/pets/{petId}`);
      const card = page
        .locator('section[id$="PATCH/pets/{petId}"]')
        .locator('.scalar-card-header-tabs');
      await card.getByRole('tab', { name: '503' }).waitFor();
      const parts = await card.locator('[role="tab"], button.code-copy, label').all();
      const boxes = await Promise.all(parts.map((part) => part.boundingBox()));
      const frame = await card.boundingBox();
      expect(boxes.length).toBeGreaterThan(10);
      for (const [target, box] of boxes.entries()) {
        expect(box).not.toBeNull();
        expect([target, isInside(box, frame)]).toEqual([target, true]);
        const others = boxes.slice(target + 1).filter((other) => overlap(box, other));
        expect([target, others]).toEqual([target, []]);
      }
    },
    BROWSER_TEST_MS,
  );

  browserTest('groups, samples, deprecation and search work with only the keyboard', async () => {
    await using opened = await openPage(group.browser, group.petstore.url);
    const { page, complaints } = opened;
    await page.goto(`${group.petstore.url}/docs#tag/animals/GET/pets/{petId}`);
    await page.getByText('Removed on 5 December 2030').waitFor();
    for (const group of ['Pets', 'Account']) {
      await page.locator('aside').getByText(group, { exact: true }).first().waitFor();
    }
    const petId = page.locator('section[id$="GET/pets/{petId}"]');
    await petId.getByRole('button', { name: /curl/ }).click();
    const samples = page.getByRole('listbox');
    expect((await samples.first().innerText()).split('\n').filter(Boolean)).toEqual([
      'Code Examples',
      'curl',
      'TypeScript',
      'Python',
      'PHP',
      'Go',
      'NewRequest',
      'Python',
      'Requests',
    ]);
    await page.keyboard.press('Escape');

    await petId.getByRole('button', { name: /Test Request/ }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'hidden' });

    await page.keyboard.press('Control+k');
    await page
      .getByRole('textbox', { name: /search/i })
      .or(page.getByRole('combobox'))
      .waitFor();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('Add an');
    await page.getByRole('option', { name: /Add an animal/ }).waitFor();
    expect(await accessibilityViolations(page)).toEqual([]);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await untilTrue(page, "location.hash.endsWith('POST/pets')");
    expect(complaints).toEqual([]);
  });
});
