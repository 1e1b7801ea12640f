import { expect } from 'bun:test';
import { looksWrong } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole, untilRows } from '../support/console.ts';
import { addAnimal, changeSelected, chooseAll, rowOf } from '../support/console-animals.ts';
import { eventually } from '../support/eventually.ts';

const PATH = '/console/animals';
const PAPER = { format: 'A4', preferCSSPageSize: true } as const;

describeInBrowser('the list that staff work with', { isolated: true }, (group) => {
  async function add(name: string, profile: object): Promise<number> {
    const id = await addAnimal(group.petstore, name);
    await describe(id, profile);
    return id;
  }
  const describe = (id: number, profile: object) =>
    group.petstore.writer.patch(`/v1/pets/${id}/profile`, profile);
  const profileOf = async (id: number) =>
    JSON.parse((await group.petstore.writer.get(`/v1/pets/${id}/profile`)).text);
  const open = (query: string, options: object = {}) =>
    openConsole(group.browser, group.petstore, { path: PATH + query, ...options });

  const addThree = async () => [
    await add('Ash', { breed: 'Beagle', location: 'Yard', inCareSince: '2025-03-01' }),
    await add('Birch', { breed: 'Collie', location: 'Barn', inCareSince: '2024-03-01' }),
    await add('Cedar', { inCareSince: '2025-01-01' }),
  ];

  browserTest('columns tell breed, place and since when, and sort by a click', async () => {
    await addThree();
    await using opened = await open('');
    const { page, complaints } = opened;
    await untilRows(page, ['Cedar', 'Birch', 'Ash']);
    const texts = await rowOf(page, 'Birch').getByRole('cell').allInnerTexts();
    expect(texts).toEqual(expect.arrayContaining(['Collie', 'Barn', '1 Mar 2024']));
    const order = (name: string) => page.getByRole('columnheader', { name }).getByRole('link');
    await order('In care since').click();
    await untilRows(page, ['Birch', 'Cedar', 'Ash']);
    await order('Place').click();
    await untilRows(page, ['Birch', 'Ash', 'Cedar']);
    await order('Name').click();
    await untilRows(page, ['Ash', 'Birch', 'Cedar']);
    expect(await page.getByRole('columnheader', { name: 'Name' }).getAttribute('aria-sort')).toBe(
      'ascending',
    );
    await order('Name').click();
    await untilRows(page, ['Cedar', 'Birch', 'Ash']);
    expect(await looksWrong(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  browserTest('several are published and moved at once, and it can be undone', async () => {
    const [ash = 0, birch = 0] = await addThree();
    await using opened = await open('?sort=name');
    const { page } = opened;
    await untilRows(page, ['Ash', 'Birch', 'Cedar']);
    await chooseAll(page);
    await changeSelected(page, 'Publish');
    await message(page, '3 animals are published.');
    expect(await profileOf(ash)).toMatchObject({ published: true });
    await page.getByRole('button', { name: 'Undo' }).click();
    await eventually(
      () => profileOf(ash),
      ({ published }) => published === false,
    );
    await changeSelected(page, 'Move to a place');
    await page.getByRole('textbox', { name: 'New place' }).fill('Kennel 9');
    await page.getByRole('button', { name: 'Change place' }).click();
    await message(page, '3 animals are now in Kennel 9.');
    expect(await profileOf(birch)).toMatchObject({ location: 'Kennel 9' });
    await page.getByRole('button', { name: 'Undo' }).click();
    await rowOf(page, 'Birch').getByText('Barn').waitFor();
    const before = await eventually(
      () => profileOf(birch),
      ({ location }) => location === 'Barn',
    );
    expect(before).toMatchObject({ published: false });
  });

  browserTest('kennel cards are one page each, whatever the text', async () => {
    const [ash = 0] = await addThree();
    await describe(ash, { species: 'dog', published: true, description: 'A line.\n'.repeat(400) });
    await using opened = await open('?sort=name');
    const { page } = opened;
    // The dialog of the printer would wait for a person.
    await page.evaluate('window.print = () => {}');
    await chooseAll(page);
    await page.getByRole('button', { name: 'Kennel cards' }).click();
    await page.locator('.print-sheets').getByText('Cedar').waitFor({ state: 'attached' });
    await page.emulateMedia({ media: 'print' });
    // Only who is shown to the public has a code.
    expect(await page.locator('.kennel-card svg').count()).toBe(1);
    expect(await page.locator('.kennel-card').first().getByText(`/adopt/${ash}`).isVisible()).toBe(
      true,
    );
    expect(await page.getByRole('navigation').first().isVisible()).toBe(false);
    // What comes after it is the page again.
    const pages = String(await page.pdf(PAPER)).match(/\/Type \/Page\b/g);
    expect(pages).toHaveLength(3);
    await page.locator('.print-sheets').waitFor({ state: 'detached' });
    // The page itself is printed without its frame.
    expect(await page.getByRole('table', { name: 'Animals' }).isVisible()).toBe(true);
    for (const gone of ['.frame-bar', '.toolbar', '.bulk-bar', '.page-actions'])
      expect(await page.locator(gone).first().isVisible()).toBe(false);
  });

  browserTest('the round goes from place to place, and ends with those without one', async () => {
    await addThree();
    const gone = await add('Dill', { location: 'Barn' });
    await group.petstore.writer.patch(`/v1/pets/${gone}`, { status: 'sold' });
    await using opened = await open('', { timezoneId: 'Pacific/Kiritimati' });
    const { page } = opened;
    await page.clock.setFixedTime('2026-12-01T20:00:00Z');
    await page.evaluate('window.print = () => {}');
    await page.getByRole('button', { name: 'Print animals' }).click();
    await page.getByRole('menuitem', { name: 'Round sheet by place' }).click();
    const sheet = page.locator('.print-sheets');
    await sheet.locator('table').first().waitFor({ state: 'attached' });
    expect(await sheet.locator('h1').textContent()).toBe('Round of 2 Dec 2026');
    expect(await sheet.locator('caption').allTextContents()).toEqual([
      ...['Barn', 'Yard', 'Without a place'],
    ]);
    expect(
      (await sheet.locator('tbody th').allTextContents()).map((one) => one.split(' ')[0]),
    ).toEqual(['Birch', 'Ash', 'Cedar']);
  });

  browserTest('a chip that is known already is shown while it is typed', async () => {
    const id = await add('Chip', { microchip: '276098101234567' });
    const other = await add('Other', {});
    await group.petstore.writer.patch(`/v1/pets/${id}`, { status: 'sold' });
    await using opened = await open(`/${other}?edit=private`);
    const { page } = opened;
    const field = page.getByRole('textbox', { name: 'Microchip' });
    await field.fill('276 098 101 234 567');
    const link = page.getByRole('dialog').getByRole('link', { name: `Chip, number ${id}` });
    expect(await link.getAttribute('href')).toBe(`${PATH}/${id}`);
    await field.fill('276 098 101 234 568');
    await link.waitFor({ state: 'detached' });
    // Its own chip is no news.
    await page.goto(`${group.petstore.url}${PATH}/${id}?edit=private`);
    await field.fill('276098101234567');
    await page.getByRole('textbox', { name: 'Place' }).fill('Barn');
    expect(await link.count()).toBe(0);
  });

  browserTest('removed animals can be listed and brought back', async () => {
    const [ash] = await addThree();
    await group.petstore.writer.delete(`/v1/pets/${ash}`);
    await using opened = await open('');
    const { page } = opened;
    await untilRows(page, ['Cedar', 'Birch']);
    await page.getByRole('combobox', { name: 'Show' }).selectOption('Removed');
    await untilRows(page, ['Ash']);
    expect(await page.getByRole('checkbox').count()).toBe(0);
    await page.getByRole('button', { name: 'Bring back Ash' }).click();
    await page.getByRole('heading', { name: 'No animals found' }).waitFor();
    expect((await group.petstore.reader.get(`/v1/pets/${ash}`)).status).toBe(200);
  });
});
