import { expect } from 'bun:test';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { adoptionsOf, card } from '../support/console-adoptions.ts';

describeInBrowser('Adoptions on a phone', { isolated: true }, (group) => {
  const { open, addOrder } = adoptionsOf(group);
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
