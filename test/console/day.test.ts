import { afterAll, beforeAll, expect, test } from 'bun:test';
import type { Locator, Page } from 'playwright-core';
import { BROWSER_TEST_MS, type WatchedPage } from '../support/browser.ts';
import { describeInBrowser } from '../support/browser-group.ts';
import { type ConsoleOptions, openConsole } from '../support/console.ts';
import { eventually } from '../support/eventually.ts';
import type { TestPetstore } from '../support/start.ts';

/** The file of a shelter. To play the day with a larger one: `CONSOLE_DAY_FILE=animals.csv`. */
const FILE =
  process.env['CONSOLE_DAY_FILE'] ??
  new URL('../../examples/austin-animals.csv', import.meta.url).pathname;

/** How the person works. */
interface Way {
  readonly name: string;
  readonly options: ConsoleOptions;
  act(control: Locator): Promise<void>;
}

const WAYS: readonly Way[] = [
  {
    name: 'by keyboard on a desk',
    options: {},
    act: (control) => control.press('Enter'),
  },
  {
    name: 'by touch on a phone',
    act: (control) => control.tap(),
    options: { viewport: { width: 360, height: 740 }, hasTouch: true },
  },
];

/** A day at a shelter, on the real service. */
class Day {
  readonly petstore: TestPetstore;
  readonly page: Page;
  readonly way: Way;

  constructor(petstore: TestPetstore, page: Page, way: Way) {
    this.petstore = petstore;
    this.page = page;
    this.way = way;
  }

  readonly button = (name: string | RegExp, inside: Locator | Page = this.page) =>
    inside.getByRole('button', { name, exact: true });
  readonly act = (control: Locator) => this.way.act(control);
  readonly dialog = (name: string | RegExp) => this.page.getByRole('dialog', { name });
  readonly said = (text: string | RegExp) =>
    this.page.getByRole('status', { name: 'Messages' }).getByText(text).last().waitFor();

  /** Goes to a page by the navigation. */
  async go(name: string): Promise<void> {
    const link = this.page.getByRole('navigation').getByRole('link', { name, exact: true });
    if (!(await link.isVisible())) await this.act(this.button('More'));
    await this.act(link);
    await this.page.getByRole('heading', { level: 1, name }).waitFor();
  }

  async drop(): Promise<number> {
    await this.act(this.page.getByRole('link', { name: 'Import a file' }).first());
    const zone = this.page.getByText('Drop a file here');
    await zone.waitFor();
    const text = JSON.stringify(await Bun.file(FILE).text());
    const file = `new File([${text}], 'animals.csv', { type: 'text/csv' })`;
    const dataTransfer = await this.page.evaluateHandle<object>(
      `(() => { const data = new DataTransfer(); data.items.add(${file}); return data; })()`,
    );
    await zone.dispatchEvent('drop', { dataTransfer });
    for (const status of ['Adoption', 'Transfer']) {
      await this.page.getByLabel(status, { exact: true }).selectOption('available');
    }
    await this.page.getByLabel('Animals without a name are called').fill('Unnamed {AnimalType}');
    await this.act(this.button('Check the file'));
    await this.page.getByRole('heading', { name: 'What would happen' }).waitFor();
    await this.act(this.button('Import'));
    await this.page.getByRole('heading', { name: 'The file was imported' }).waitFor();
    return await this.petstore.storage.pets.count();
  }

  async findBella(): Promise<void> {
    await this.act(this.page.getByRole('link', { name: 'See the animals' }));
    await this.page.getByRole('searchbox', { name: 'Search animals' }).fill('bella');
    await this.page.getByRole('row', { name: 'Bella' }).first().waitFor();
    expect(new URL(this.page.url()).search).toBe('?q=bella');
  }

  async adopt(name: string, adopter: string): Promise<void> {
    const dialog = this.dialog('New adoption');
    // The page is drawn again once its orders are there: a key pressed at that moment is lost.
    const isOpen = () =>
      dialog.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    await this.act(this.button('New adoption'));
    if (!(await isOpen())) await this.act(this.button('New adoption'));
    await dialog.getByRole('combobox', { name: 'Animal' }).fill(name);
    const found = dialog.getByRole('option', { name }).first();
    await found.waitFor();
    await found.click();
    await dialog.getByRole('textbox', { name: 'Adopter' }).fill(adopter);
    await this.act(this.button('Start adoption', dialog));
    await dialog.waitFor({ state: 'detached' });
    await this.act(this.button(new RegExp(`^Approve: ${name}`)).first());
    await this.act(this.button(new RegExp(`^Complete: ${name}`)).first());
    await this.act(this.button('Complete', this.dialog('Complete this adoption?')));
    await this.page
      .getByRole('region', { name: 'Completed' })
      .getByRole('listitem')
      .filter({ hasText: adopter })
      .waitFor();
  }

  /** Two people rename one animal; the second sees what the first did, and decides. */
  async renameTogether(other: Page, name: string): Promise<void> {
    const actions = { name: `Actions for ${name}`, exact: true };
    await this.act(this.page.getByRole('button', actions).first());
    await this.act(this.page.getByRole('menuitem', { name: 'Edit' }));
    await this.dialog(`Edit ${name}`).getByRole('textbox', { name: 'Name' }).fill('Bella Luna');
    await other.getByRole('button', actions).first().click();
    await other.getByRole('menuitem', { name: 'Edit' }).click();
    const theirs = other.getByRole('dialog');
    await theirs.getByRole('textbox', { name: 'Name' }).fill('Bella Stella');
    await theirs.getByRole('button', { name: 'Save' }).click();
    await theirs.waitFor({ state: 'detached' });
    await this.act(this.button('Save'));
    const conflict = this.dialog(/^Somebody else has changed/);
    await conflict.getByRole('cell', { name: 'Bella Stella' }).waitFor();
    await this.act(this.button('Use mine', conflict));
    // Both look for the old name, which no animal has any more.
    for (const page of [this.page, other]) {
      await page.getByRole('heading', { name: 'No animals found' }).waitFor();
      await page.getByRole('searchbox', { name: 'Search animals' }).fill('bella luna');
      await page.getByRole('row', { name: 'Bella Luna' }).waitFor();
    }
  }

  async changeAndUndo(name: string): Promise<void> {
    await this.act(this.page.getByRole('button', { name: `Status of ${name}:` }));
    await this.act(this.page.getByRole('menuitemradio', { name: 'Pending' }));
    await this.said(`${name} is now pending.`);
    await this.act(this.button('Undo').last());
    await this.said(`${name} is available again.`);
  }

  async givePartnerKey(): Promise<void> {
    await this.go('Keys');
    await this.act(this.button('Create key'));
    const form = this.dialog('Create key');
    await form.getByRole('textbox', { name: 'Name' }).fill('Paws & Co');
    await form.getByRole('combobox', { name: 'For', exact: true }).selectOption('partner');
    await this.act(this.button('Create key', form));
    const shown = this.dialog('The key of Paws & Co');
    const key = await shown.getByText('petstore_live_').textContent();
    await this.closeUncopied(shown);
    const headers = { authorization: `Bearer ${key}` };
    for (let i = 0; i < 7; i++) await fetch(`${this.petstore.baseUrl}/pets`, { headers });
    await this.petstore.clock.advance(2_000);
    await this.act(this.page.getByRole('link', { name: 'Paws & Co' }));
    const details = this.dialog('Paws & Co');
    await this.act(details.getByText('Show as table'));
    await details
      .getByRole('row')
      .filter({ hasText: /7\s*0$/ })
      .waitFor();
    await this.act(this.button('Close', details));
  }

  async closeUncopied(shown: Locator): Promise<void> {
    await this.act(this.button('Done', shown));
    await this.act(this.button('Close', this.dialog('Close without a copy?')).first());
  }

  async testWebhook(url: string): Promise<void> {
    await this.go('Webhooks');
    await this.act(this.button('Add webhook'));
    const form = this.dialog('Add webhook');
    await form.getByRole('textbox', { name: 'Address' }).fill(url);
    await this.act(this.button('Add webhook', form));
    await this.closeUncopied(this.dialog('The secret of this webhook'));
    await this.act(this.page.getByRole('link', { name: url }));
    await this.act(this.button('Send a test'));
    await this.page.getByText('It arrived: the endpoint answered 204').waitFor();
  }
}

describeInBrowser(
  'a day at a shelter',
  { isolated: true, settings: { PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8' } },
  (group) => {
    let receiver: Bun.Server<undefined>;
    beforeAll(async () => {
      receiver = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        fetch: () => new Response(null, { status: 204 }),
      });
    });
    afterAll(() => receiver?.stop(true));

    test.each(WAYS)(
      '$name: import, find, adopt, a conflict, undo, a key, a webhook',
      async (way) => {
        const { browser, petstore } = group;
        await using opened = await openConsole(browser, petstore, way.options);
        const day = new Day(petstore, opened.page, way);
        const animals = await day.drop();
        expect(animals).toBeGreaterThan(100);
        await day.findBella();
        await day.go('Adoptions');
        const { items } = await petstore.storage.pets.list(
          { status: 'available' },
          { afterId: undefined, limit: 100 },
        );
        const names = new Set(
          items.map(({ name }) => name).filter((name) => /^[A-Z]\w+$/.test(name)),
        );
        const [first = '', second = ''] = [...names].filter((name) => name !== 'Bella');
        await day.adopt('Bella', 'The Alvarez family');
        await day.adopt(first, 'Mina Okafor');
        await day.adopt(second, 'J. Lindqvist');
        // A card moves before the service has said that the adoption has.
        const pets = async () => JSON.parse((await petstore.reader.get('/v1/stats')).text).pets;
        await eventually(pets, ({ sold, pending }) => sold === 3 && pending === 0);

        const pet = await petstore.writer.post('/v1/pets', { name: 'Belladonna', categoryId: 1 });
        expect(pet.status).toBe(201);
        const path = '/console/animals?q=belladonna';
        await using colleague: WatchedPage = await openConsole(browser, petstore, {
          path,
          name: 'Kim',
          scopes: ['write'],
        });
        await day.go('Animals');
        await opened.page.goto(petstore.url + path);
        await day.renameTogether(colleague.page, 'Belladonna');
        await opened.page.goto(`${petstore.url}/console/animals?q=bella+luna`);
        await day.changeAndUndo('Bella Luna');
        await day.givePartnerKey();
        await day.testWebhook(`http://127.0.0.1:${receiver.port}/events`);
        await day.go('Activity');
        const lines = opened.page.getByRole('main').locator('.activity-day > ol > li');
        const undone = lines.filter({ hasText: 'Animal changed: Bella Luna' });
        await undone.getByText('Status: Available, it was Pending').waitFor();
        await day.go('Overview');
        expect(opened.complaints.filter((text) => !text.includes('status of 412'))).toEqual([]);
      },
      BROWSER_TEST_MS,
    );
  },
);
