import { expect } from 'bun:test';
import type { Page } from 'playwright-core';
import type { OrderStatus } from '../../src/domain/order.ts';
import type { BrowserGroup } from './browser-group.ts';
import { type ConsoleOptions, openConsole } from './console.ts';

/** A column of the board of adoptions. */
export const column = (page: Page, name: string) => page.getByRole('region', { name });

/** The card of an animal in a column. */
export const card = (page: Page, columnName: string, animal: string) =>
  column(page, columnName).getByRole('listitem').filter({ hasText: animal });

/** What tests of the board of adoptions do with it. */
export function adoptionsOf(group: BrowserGroup) {
  const open = (options: ConsoleOptions = {}) =>
    openConsole(group.browser, group.petstore, { path: '/console/adoptions', ...options });

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

  return { open, addOrder };
}
