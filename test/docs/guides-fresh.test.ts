import { testGuides } from './guides.ts';

testGuides('a fresh demonstration', async () => {});
