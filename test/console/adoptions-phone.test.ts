import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { OrderStatus } from '../../src/domain/order.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { type ConsoleOptions, openConsole } from '../support/console.ts';

const PATH = '/console/adoptions';
describeInBrowser('Adoptions on a phone', { isolated: true }, (group) => {
  const open = (options: ConsoleOptions = {}) =>
    openConsole(group.browser, group.petstore, { path: PATH, ...options });
  const column = (page: Page, name: string) => page.getByRole('region', { name });
  const card = (page: Page, columnName: string, animal: string) =>
    column(page, columnName).getByRole('listitem').filter({ hasText: animal });

  /** Adds an animal with an order, and returns the id of the order. */
  async function addOrder(name: string, status: OrderStatus, personal = {}): Promise<number> {
    const pet = await group.petstore.storage.pets.create(
      { name, categoryId: 1n, status: 'available' },
      { at: group.petstore.clock.now(), keyId: null },
    );
    const body = { petId: Number(pet.id), ...personal };
    const placed = await group.petstore.writer.post('/v1/store/orders', body);
    const { id } = JSON.parse(placed.text);
    const path = `/v1/store/orders/${id}`;
    const steps = status === 'completed' ? ['approved', 'completed'] : [status];
    for (const step of steps.filter((one) => one !== 'placed')) {
      expect((await group.petstore.writer.patch(path, { status: step })).status).toBe(200);
    }
    return id;
  }
  browserTest('on a phone the columns are one at a time, and a card is followed', async () => {
    await addOrder('Bella', 'placed', { adopter: 'The Alvarez family' });
    await addOrder('Rex', 'completed', { adopter: 'C. Diaz' });
    await using opened = await open({ viewport: { width: 360, height: 740 } });
    const { page } = opened;
    await card(page, 'Placed', 'Bella').waitFor();
    expect(await card(page, 'Completed', 'Rex').isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Approve: Bella' }).click();
    await card(page, 'Approved', 'Bella').waitFor();
    expect(new URL(page.url()).search).toBe('?column=approved');
    const tabs = page.getByRole('navigation', { name: 'Columns' });
    await tabs.getByRole('link', { name: 'Completed' }).click();
    await card(page, 'Completed', 'Rex').waitFor();
    expect(await page.evaluate<number>('document.documentElement.scrollHeight')).toBeLessThan(900);
  });
});
