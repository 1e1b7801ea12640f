import { startGuideShop } from './guide-shop.ts';
import { testGuides } from './guides.ts';

testGuides('a fresh demonstration', async (examples) => {
  const shop = await startGuideShop();
  // Before, the events of pictures stand among those that a guide shows.
  if (examples.some(({ text }) => /pet\.created/.test(text))) await shop.untilIllustrated();
  return shop;
});
