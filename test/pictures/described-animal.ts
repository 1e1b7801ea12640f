import type { Browser } from 'playwright-core';
import type { Petstore } from '../../packages/client/src/index.ts';
import { drawingOf } from '../../src/photos/drawings.ts';

const NAME = 'Smokey';

/** What is drawn instead of a photo: sky, ground, and where the dog is. */
const SCENES = [
  { sky: '#bfe0f5', ground: '#7fb069', width: 1_200, height: 900, x: 280, y: 200, size: 640 },
  { sky: '#f6d7b0', ground: '#c98f5a', width: 900, height: 1_200, x: 150, y: 360, size: 620 },
  { sky: '#dfe7f2', ground: '#a9b7c9', width: 1_400, height: 900, x: 720, y: 250, size: 560 },
  { sky: '#cde8d5', ground: '#5d9c76', width: 1_000, height: 1_000, x: 180, y: 240, size: 640 },
] as const;

type Scene = (typeof SCENES)[number];

/** Gives an animal of the samples photos and a whole profile. Returns its id. */
export async function describeAnimal(store: Petstore, browser: Browser): Promise<number> {
  const [pet] = (await store.pets.list({ name: NAME })).items;
  if (pet === undefined) throw new Error(`There is no ${NAME} among the samples.`);
  await store.pets.updateProfile(pet.id, {
    ...{ species: 'dog', sex: 'male', neutered: true, vaccinated: true, specialNeeds: false },
    ...{ size: 'medium', weightGrams: 21_400, coat: 'short', energy: 'high', houseTrained: true },
    ...{ goodWithDogs: 'yes', goodWithCats: 'selective', goodWithChildren: 'over_5' },
    headline: 'Never met a ball that he did not like',
    description:
      'Came to us in June, when his family moved abroad. He walks well on a lead, sleeps through the night, and greets everybody with his whole body.',
    ...{ fee: { amount: 15_000, currency: 'EUR' }, inCareSince: '2026-06-12', published: true },
    ...{ care: 'shelter', location: 'Kennel 12', behaviourNotes: 'Pulls towards bicycles.' },
  });
  for (const [index, scene] of SCENES.entries()) {
    const alt = `${NAME} in the garden, picture ${index + 1}`;
    const { id } = await store.pets.addPhoto(pet.id, await draw(browser, scene), { alt });
    const focus = {
      x: (scene.x + scene.size / 2) / scene.width,
      y: (scene.y + scene.size / 2) / scene.height,
    };
    await store.pets.updatePhoto(pet.id, id, { focus });
  }
  return pet.id;
}

async function draw(browser: Browser, scene: Scene): Promise<Blob> {
  const { sky, ground, width, height, x, y, size } = scene;
  const page = await browser.newPage({ viewport: { width, height }, colorScheme: 'light' });
  const dog = drawingOf('dog')
    .replace('<svg ', `<svg x="${x}" y="${y}" `)
    .replace('width="320" height="320"', `width="${size}" height="${size}"`);
  await page.setContent(`<body style="margin:0"><svg width="${width}" height="${height}">
<linearGradient id="sky" x2="0" y2="1"><stop stop-color="${sky}"/><stop offset="1" stop-color="#fff"/></linearGradient>
<rect width="100%" height="100%" fill="url(#sky)"/><circle cx="85%" cy="16%" r="60" fill="#fff4c2"/>
<ellipse cx="90%" cy="110%" rx="70%" ry="35%" fill="${ground}" opacity=".6"/>
<ellipse cx="30%" cy="105%" rx="100%" ry="35%" fill="${ground}"/>${dog}</svg>`);
  const bytes = await page.screenshot({ type: 'jpeg', quality: 90 });
  await page.close();
  return new Blob([new Uint8Array(bytes)], { type: 'image/jpeg' });
}
