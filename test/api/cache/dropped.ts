import { expect } from 'bun:test';
import type { Client, ClientResponse } from '../../support/client.ts';
import { sampleOf, scrape } from '../../support/scrape.ts';
import type { TestPetstore } from '../../support/start.ts';

/** A change, with the response to it, if it is a request. */
export type MadeChange = () => Promise<ClientResponse | undefined>;

async function missesOf({ metricsUrl }: TestPetstore): Promise<number> {
  const metrics = await scrape(metricsUrl);
  return sampleOf(metrics, 'petstore_response_cache_lookups_total{result="miss"}') ?? 0;
}

/** Expects a change to drop exactly these of the paths that a client reads. */
export async function expectDropped(
  petstore: TestPetstore,
  client: Client,
  paths: readonly string[],
  change: MadeChange,
  expected: readonly string[],
): Promise<void> {
  // The second request for a target is the first whose response is stored. One comes right after the other:
  // between them, a target with a similar hash would make the service forget the first.
  for (const path of paths) {
    await client.get(path);
    await client.get(path);
  }
  const response = await change();
  if (response !== undefined && response.status >= 300) throw new Error(response.text);
  const dropped: string[] = [];
  let before = await missesOf(petstore);
  for (const path of paths) {
    await client.get(path);
    const after = await missesOf(petstore);
    if (after > before) dropped.push(path);
    before = after;
  }
  expect(dropped.sort()).toEqual([...expected].sort());
}
