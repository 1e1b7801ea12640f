import { expect, test } from 'bun:test';
import { Events } from '../../packages/client/src/events.ts';
import type { Time } from '../../packages/client/src/retry.ts';
import { Transport } from '../../packages/client/src/transport.ts';
import { GATHER_MS } from '../../src/events/feed.ts';
import { addAnimals } from '../support/animals.ts';
import { startPetstore } from '../support/start.ts';

const SECOND_MS = 1_000;
const DAY_S = 86_400;
/** A free key has 1,000 requests a day: one for every 86 seconds. */
const LATE_MAX_S = 180;
/** Times of tests are injected, but a day of changes takes its time. */
const TEST_MS = 240_000;

test(
  'a key of the free plan follows a shop that changes every second, for a day',
  async () => {
    await using petstore = await startPetstore();
    const { clock, storage } = petstore;
    const { text: apiKey } = await petstore.keyWith({ plan: 'free', scopes: ['read'] });
    const start = clock.now();
    let added = 0;
    let seen = 0;
    let refused = 0;
    let latest = 0;

    /** Lets time pass, with the changes of each second of it. */
    async function passUntil(at: number): Promise<void> {
      const due = Math.floor((at - start) / SECOND_MS) - added;
      if (due > 0) await addAnimals(storage, Array(due).fill({}));
      added += Math.max(due, 0);
      clock.set(Math.ceil(at));
    }
    const time: Time = { now: clock.now, sleep: (ms) => passUntil(clock.now() + ms) };
    const send = async (url: string, init: RequestInit) => {
      // The service would wait, and gather, in the time of the machine: here the clock does it.
      if (seen === added) await passUntil(start + (added + 1) * SECOND_MS + GATHER_MS);
      const response = await fetch(url.replace('&wait=25', ''), init);
      if (response.status === 429) refused++;
      return response;
    };
    const baseUrl = petstore.baseUrl;
    const events = new Events(new Transport({ baseUrl, apiKey, fetch: send }, time));

    // The keys of this test are in the log too, as no events.
    const now = await petstore.reader.get('/v1/events?after=latest');
    let last = Number(/after=(\d+)/.exec(now.headers.get('link') ?? '')?.[1]);
    for await (const { events: page, position } of events.pages({ after: last })) {
      for (const { id } of page) {
        expect(id).toBe(++last);
        seen++;
        latest = Math.max(latest, clock.now() - (start + seen * SECOND_MS));
      }
      expect(position).toBe(last);
      if (seen >= DAY_S) break;
    }
    expect(latest / SECOND_MS).toBeLessThan(LATE_MAX_S);
    expect(refused).toBe(0);
  },
  TEST_MS,
);
