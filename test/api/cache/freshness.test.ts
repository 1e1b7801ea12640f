import { expect, test } from 'bun:test';
import { idOf } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { sampleOf, scrape } from '../../support/scrape.ts';
import { startPetstore } from '../../support/start.ts';

const READERS = 8;
const CHANGES = 150;
/** Reads between two changes: enough that most are served from the cache. */
const READS_BETWEEN = 6;
const TIMEOUT_MS = 120_000;

test(
  'no response is older than a change acknowledged before the request, here or elsewhere',
  async () => {
    await using petstore = await startPetstore();
    const id = idOf(await petstore.writer.post('/v1/pets', { name: 'v0', categoryId: 7 }));
    let acknowledged = 0;
    let reads = 0;
    let ended = false;

    async function read(path: string): Promise<void> {
      while (!ended) {
        const floor = acknowledged;
        const { text } = await petstore.reader.get(path);
        const seen = Number(/"v([0-9]+)"/.exec(text)?.[1]);
        if (!(seen >= floor))
          throw new Error(`${path} gave ${seen} after ${floor} was acknowledged`);
        reads++;
      }
    }

    /** Alternates between the service and another process. */
    async function change(n: number): Promise<void> {
      const name = `v${n}`;
      if (n % 2 === 0) {
        const body = JSON.stringify({ name });
        const { status } = await petstore.writer.patch(`/v1/pets/${id}`, body);
        expect(status).toBe(200);
      } else {
        await petstore.storage.pets.update(BigInt(id), { name }, CHANGE_STAMP, () => {});
      }
    }

    async function write(): Promise<void> {
      try {
        for (let n = 1; n <= CHANGES; n++) {
          const from = reads;
          while (reads < from + READS_BETWEEN && !ended) await Bun.sleep(0);
          if (ended) return;
          await change(n);
          acknowledged = n;
        }
      } finally {
        ended = true;
      }
    }

    const paths = [`/v1/pets/${id}`, '/v1/pets'];
    const readers = Array.from({ length: READERS }, (_, n) =>
      read(paths[n % paths.length] ?? '').finally(() => {
        ended = true;
      }),
    );
    await Promise.all([...readers, write()]);
    expect(acknowledged).toBe(CHANGES);
    const hits = sampleOf(
      await scrape(petstore.metricsUrl),
      'petstore_response_cache_lookups_total{result="hit"}',
    );
    // Without cached responses this test would prove nothing.
    if (process.env['PETSTORE_TEST_CACHE'] !== 'off') expect(hits).toBeGreaterThan(CHANGES);
  },
  TIMEOUT_MS,
);
