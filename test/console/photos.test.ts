import { expect, test } from 'bun:test';
import type { Page } from 'playwright-core';
import { addPhoto, photosOf, type ShownPhoto } from '../photos/adding.ts';
import { BROWSER_TEST_MS, looksAt, looksWrong, untilTrue } from '../support/browser.ts';
import { browserTest, describeInBrowser } from '../support/browser-group.ts';
import { message, openConsole, untilFocused } from '../support/console.ts';
import { addAnimal } from '../support/console-animals.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';

/** A picture of two by two pixels in a format that the service does not take. */
function bitmap(): Buffer {
  const bytes = Buffer.alloc(70);
  bytes.write('BM');
  for (const [at, value] of [
    [2, 70],
    [10, 54],
    [14, 40],
    [18, 2],
    [22, 2],
  ] as const) {
    bytes.writeUInt32LE(value, at);
  }
  bytes.writeUInt16LE(1, 26);
  bytes.writeUInt16LE(24, 28);
  return bytes;
}

const file = (name: string, mimeType: string, bytes: Uint8Array) => ({
  name,
  mimeType,
  buffer: Buffer.from(bytes),
});
const photoLink = (page: Page, place: number, total: number) =>
  page.getByRole('link', { name: `Photo ${place} of ${total}` });

describeInBrowser('the photos of an animal', {}, (group) => {
  const pathOf = (id: number, query = '') => `/console/animals/${id}${query}`;
  const add = (name: string) => addAnimal(group.petstore, name);
  const photos = (id: number) => photosOf(group.petstore.reader, BigInt(id));
  const addTo = async (id: number, seed: number) =>
    addPhoto(group.petstore.writer, BigInt(id), await picture(400, 300, 'jpeg', seed));
  const become = (id: number, satisfies: (found: readonly ShownPhoto[]) => boolean) =>
    eventually(() => photos(id), satisfies);
  const haveOrder = (id: number, wanted: readonly number[]) =>
    become(id, (found) =>
      Bun.deepEquals(
        [...found].map((one) => one.id),
        [...wanted],
      ),
    );
  const open = (path: string, options = {}) =>
    openConsole(group.browser, group.petstore, { path, ...options });

  browserTest(
    'several are added at once, and a file that is not a photo is refused in plain words',
    async () => {
      const id = await add('Juniper');
      await using opened = await open(pathOf(id));
      const { page, complaints } = opened;
      await page.getByText('No photo yet').waitFor();
      const input = page.locator('input[type="file"][multiple]');
      await input.setInputFiles([
        file('one.jpg', 'image/jpeg', await picture(900, 600)),
        file('notes.txt', 'text/plain', Buffer.from('no photo')),
        file('notes.jpg', 'image/jpeg', Buffer.from('no photo')),
        file('phone.heic', 'image/heic', Buffer.from('ftypheic')),
        file('scan.bmp', 'image/bmp', bitmap()),
        file('two.webp', 'image/webp', await picture(600, 900, 'webp', 2)),
        // It says that it is a JPEG, and only the service finds out.
        file('broken.jpg', 'image/jpeg', (await picture(600, 900, 'jpeg', 3)).subarray(0, 2_000)),
      ]);
      await photoLink(page, 3, 3).waitFor();
      const refused = page.getByRole('alert');
      await refused.getByText('Not added: notes.txt. This is not a photo.').waitFor();
      await refused.getByText('Not added: notes.jpg. This is not a photo: add a JPEG').waitFor();
      await refused.getByText(/Not added: phone\.heic. This browser cannot read HEIC\./).waitFor();
      await refused.getByText(/Not added: broken\.jpg\./).waitFor();
      const sizes = (await photos(id)).map(({ width, height }) => [width, height]);
      expect(sizes).toEqual([
        [900, 600],
        [2, 2],
        [600, 900],
      ]);
      await page.getByRole('button', { name: 'Dismiss: notes.txt' }).click();
      expect(await refused.getByRole('listitem').count()).toBe(3);
      expect(await looksWrong(page, looksAt(360, 1280))).toEqual([]);

      // The list shows the first one beside the name.
      await page.getByRole('link', { name: 'Animals', exact: true }).first().click();
      await untilTrue(
        page,
        `[...document.querySelectorAll('.animal-picture')].some((one) => one.naturalWidth === 320)`,
      );
      expect(complaints.filter((text) => !/status of 4(?:00|15)/.test(text))).toEqual([]);
    },
  );

  browserTest('a large one is made smaller before it is sent', async () => {
    const id = await add('Tansy');
    await using opened = await open(pathOf(id));
    const { page } = opened;
    await page.getByText('No photo yet').waitFor();
    // What follows the end of a JPEG is no part of the picture.
    const large = Buffer.concat([await picture(3_000, 1_500), Buffer.alloc(6_000_000)]);
    const sent = page.waitForRequest((request) => request.method() === 'POST');
    const input = page.locator('input[type="file"][multiple]');
    await input.setInputFiles([file('large.jpg', 'image/jpeg', large)]);
    const length = Number(await (await sent).headerValue('content-length'));
    expect([length > 1_000, length < 2_000_000]).toEqual([true, true]);
    await photoLink(page, 1, 1).waitFor();
    expect((await photos(id))[0]).toMatchObject({ width: 2_048, height: 1_024 });
  });

  browserTest('they are arranged by keyboard, by buttons and by dragging', async () => {
    const id = await add('Sage');
    const ids: number[] = [];
    for (const seed of [4, 5, 6]) ids.push((await addTo(id, seed)).id);
    const [first = 0, second = 0, third = 0] = ids;
    await using opened = await open(pathOf(id));
    const { page, complaints } = opened;
    await photoLink(page, 1, 3).focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText('Now photo 2 of 3.').waitFor();
    await haveOrder(id, [second, first, third]);
    await untilFocused(page, 'ariaLabel', 'Photo 2 of 3');
    await page.keyboard.press('ArrowRight');
    await haveOrder(id, [second, third, first]);
    await untilFocused(page, 'ariaLabel', 'Photo 3 of 3');
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    await haveOrder(id, [first, second, third]);
    await untilFocused(page, 'ariaLabel', 'Photo 1 of 3');

    await page.getByRole('button', { name: 'Photo 2 of 3: Move forward' }).click();
    await untilFocused(page, 'ariaLabel', 'Photo 1 of 3: Move forward');
    await page.getByRole('button', { name: 'Photo 3 of 3: Move forward' }).press('Enter');
    await haveOrder(id, [second, third, first]);
    await untilFocused(page, 'ariaLabel', 'Photo 2 of 3: Move forward');
    await page.keyboard.press('Enter');
    await haveOrder(id, [third, second, first]);
    await photoLink(page, 3, 3).dragTo(photoLink(page, 1, 3));
    await haveOrder(id, [first, third, second]);
    expect(complaints).toEqual([]);
  });

  browserTest('one is described, gets a point that stays in sight, and is removed', async () => {
    const id = await add('Clover');
    await addTo(id, 7);
    await using opened = await open(pathOf(id));
    const { page, complaints } = opened;
    await page.getByText('Not described').waitFor();
    await photoLink(page, 1, 1).click();
    const dialog = page.getByRole('dialog', { name: 'Photo of Clover' });
    await dialog.getByRole('textbox', { name: 'What the photo shows' }).fill('Two stripes');
    const mark = dialog.getByRole('button', { name: 'What must stay in sight' });
    await mark.focus();
    for (const key of ['ArrowLeft', 'ArrowLeft', 'ArrowDown']) await page.keyboard.press(key);
    await dialog.getByRole('button', { name: /40% from the left, 55% from the top/ }).waitFor();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await message(page, 'The photo was saved.');
    await page.getByRole('link', { name: 'Photo 1 of 1: Two stripes' }).click();
    expect((await photos(id))[0]).toMatchObject({ alt: 'Two stripes', focus: { x: 0.4, y: 0.55 } });

    // The same by pointing, at a quarter from the left and the top.
    const box = await dialog.getByRole('img', { name: 'Two stripes' }).boundingBox();
    if (box === null) throw new Error('There is no photo.');
    await page.mouse.click(box.x + box.width / 4, box.y + box.height / 4);
    await dialog.getByRole('button', { name: /25% from the left, 25% from the top/ }).waitFor();
    // What somebody else has written meanwhile stays.
    const [{ id: photoId } = { id: 0 }] = await photos(id);
    await group.petstore.writer.patch(`/v1/pets/${id}/photos/${photoId}`, { alt: 'Three stripes' });
    await dialog.getByRole('button', { name: 'Save' }).click();
    await become(id, ([photo]) => photo?.focus.x === 0.25 && photo.focus.y === 0.25);
    expect((await photos(id))[0]?.alt).toBe('Three stripes');

    await page.getByRole('link', { name: /Three stripes/ }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByRole('button', { name: 'Remove photo' }).click();
    await message(page, 'The photo was removed.');
    await page.getByText('No photo yet').waitFor();
    expect(await photos(id)).toEqual([]);
    expect(complaints).toEqual([]);
  });

  browserTest('photos of others appear; who may only read can look at them', async () => {
    const id = await add('Hazel');
    await using opened = await open(pathOf(id), { scopes: ['read'] });
    const { page, complaints } = opened;
    await page.getByText('No photo yet').waitFor();
    await addTo(id, 8);
    await photoLink(page, 1, 1).click();
    await page.getByRole('dialog', { name: 'Photo of Hazel' }).waitFor();
    expect(await page.getByRole('button', { name: /Save|Remove/ }).count()).toBe(0);
    await page.keyboard.press('Escape');
    expect(await page.locator('input[type="file"]').count()).toBe(0);
    expect(await page.getByText('Not described').count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  browserTest('a photo that cannot be sent is sent when the service is there again', async () => {
    const id = await add('Fern');
    await using opened = await open(pathOf(id));
    const { page } = opened;
    await page.getByText('No photo yet').waitFor();
    await page.context().setOffline(true);
    const photo = file('one.jpg', 'image/jpeg', await picture(400, 300, 'jpeg', 9));
    await page.locator('input[type="file"][multiple]').setInputFiles([photo]);
    await page
      .getByText('Add one.jpg to Fern: leave this tab open, and this will be sent by itself.')
      .waitFor();
    await page.context().setOffline(false);
    await photoLink(page, 1, 1).waitFor();
  });

  test(
    'nothing of them is an obstacle, on a desk and on a phone',
    async () => {
      const id = await add('Thyme');
      const { id: photo } = await addTo(id, 10);
      await addTo(id, 11);
      await using opened = await open(pathOf(id));
      const { page } = opened;
      await photoLink(page, 2, 2).waitFor();
      expect(await looksWrong(page, looksAt(1280, 360))).toEqual([]);
      await page.goto(group.petstore.url + pathOf(id, `?photo=${photo}`));
      await page.getByRole('dialog').getByRole('textbox').waitFor();
      expect(await looksWrong(page, looksAt(1280, 360))).toEqual([]);
    },
    BROWSER_TEST_MS,
  );
});
