import { Petstore } from '../../packages/client/src/index.ts';
import { SECOND_MS } from '../../src/domain/clock.ts';
import { eventually } from './eventually.ts';

/** Waits until the sample animals of a demonstration have their pictures, which come one by one after its start. */
export async function untilIllustrated(url: string, apiKey: string): Promise<void> {
  const store = new Petstore({ baseUrl: `${url}/v1`, apiKey });
  const without = async () => {
    let animals = 0;
    for await (const { profile, photos } of store.listings.list({ limit: 100 })) {
      const isDrawn = profile.species === 'dog' || profile.species === 'cat';
      if (isDrawn && photos.length === 0) animals++;
    }
    return animals;
  };
  // At each step the requests would use up the limit of the key, which others need.
  await eventually(without, (animals) => animals === 0, 3, SECOND_MS);
}
