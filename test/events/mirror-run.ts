import { createRandom } from '../e2e/crash/random.ts';
import { eventually } from '../support/eventually.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { createMirrorProgram, type MirroredRecords } from './mirror-program.ts';
import { startWriters, type WritableServer } from './store-writers.ts';

const WRITERS = 8;
/** Writes before the mirror starts, so that it reads the lists in the middle of others. */
const WRITES_BEFORE = 40;
const KILLS_MAX = 4;
/** Writes between two kills, at most. */
const WRITES_BETWEEN_MAX = 120;
const LISTS = { pet: 'pets', category: 'categories', order: 'store/orders' } as const;

/** What a run saw. */
export interface MirrorRun {
  readonly written: number;
  readonly kills: number;
  readonly records: number;
}

/**
 * Runs the mirror of the guide beside eight writers, kills it at random and lets it continue, and
 * compares it with the store at the end. Throws if any record differs.
 */
export async function runMirror(
  servers: readonly WritableServer[],
  readKey: string,
  seed: number,
): Promise<MirrorRun> {
  const random = createRandom(seed);
  const url = random.one(servers)?.url ?? '';
  using folder = createTemporaryFolder();
  const mirror = createMirrorProgram(folder, url, readKey);
  const writers = startWriters(servers, WRITERS, seed);
  const kills = 1 + random.below(KILLS_MAX);
  try {
    await passed(() => writers.written, WRITES_BEFORE);
    mirror.start();
    for (let kill = 0; kill < kills; kill++) {
      await passed(() => writers.written, writers.written + random.below(WRITES_BETWEEN_MAX));
      await mirror.kill();
      mirror.start();
    }
    await writers.end();
    const store = withoutSteps(await readStore(url, readKey));
    await eventually(
      () => mirror.saved()?.records,
      (records) => {
        if (mirror.hasEnded()) throw new Error('the mirror has ended');
        return records !== undefined && Bun.deepEquals(withoutSteps(records), store, true);
      },
    );
    const records = Object.values(store).reduce((sum, list) => sum + Object.keys(list).length, 0);
    return { written: writers.written, kills, records };
  } finally {
    await writers.end().catch(() => undefined);
    await mirror.kill();
  }
}

const STEPS = ['approvedAt', 'completedAt', 'cancelledAt'];
/** Events of orders have the time of their own step alone. */
function withoutSteps(records: MirroredRecords): MirroredRecords {
  const kept = (name: string, value: unknown) => (STEPS.includes(name) ? undefined : value);
  return JSON.parse(JSON.stringify(records, kept));
}

async function passed(count: () => number, target: number): Promise<void> {
  await eventually(count, (written) => written >= target);
}

/** Reads every page of every list. */
async function readStore(url: string, key: string): Promise<MirroredRecords> {
  const read = async (path: string) => {
    const records: Record<string, unknown> = {};
    let next: string | undefined = `${url}/v1/${path}?limit=100`;
    while (next !== undefined) {
      const response: Response = await fetch(next, { headers: { authorization: `Bearer ${key}` } });
      if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
      const items: { id: number }[] = JSON.parse(await response.text());
      for (const item of items) records[item.id] = item;
      next = /<([^>]+)>; rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    }
    return records;
  };
  const [pet, category, order] = await Promise.all([
    read(LISTS.pet),
    read(LISTS.category),
    read(LISTS.order),
  ]);
  return { pet, category, order };
}
