import { afterAll, beforeAll } from 'bun:test';
import { useShop } from './busy-shop.ts';
import { type GuideShop, startGuideShop } from './guide-shop.ts';
import { GUIDE_MS, testGuides } from './guides.ts';

let shop: GuideShop;
beforeAll(async () => {
  shop = await startGuideShop();
  await shop.untilIllustrated();
  await useShop(shop);
}, GUIDE_MS);
afterAll(() => shop?.[Symbol.asyncDispose]());

// What each guide does is there when the next one begins.
testGuides('a shop that has done other things before', async () => shop.inEmptyFolder());
