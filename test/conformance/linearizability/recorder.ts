import { createRandom } from '../../e2e/crash/random.ts';
import { createAnimals } from './animals.ts';
import { createClient } from './client.ts';
import { createHistory, type History } from './history.ts';
import type { Instances } from './instances.ts';
import { findPets, getOrder, getPet, listOrders, listPets } from './reads.ts';
import { create, moveOrder, place, remove, update, type Work } from './writes.ts';

/** Something that goes wrong while the clients work. Resolves when it is over. */
export type Fault = () => Promise<void>;

const CLIENTS = 10;

/** Records what several clients do and see on these instances, until it is over. */
export async function recordUntil(
  { all, key }: Pick<Instances, 'all' | 'key'>,
  isOver: () => boolean,
): Promise<History> {
  const history = createHistory();
  const animals = createAnimals();
  const clients = Array.from({ length: CLIENTS }, async (_, number) => {
    const client = createClient(number, all, key, createRandom(Date.now() + number));
    while (!isOver()) await doOne({ client, animals, history });
  });
  await Promise.all(clients);
  return history;
}

/** Records for a time. The faults happen at equal intervals. */
export async function record(
  instances: Instances,
  milliseconds: number,
  faults: readonly Fault[],
): Promise<History> {
  const end = performance.now() + milliseconds;
  const recording = recordUntil(instances, () => performance.now() >= end);
  const interval = milliseconds / (faults.length + 1);
  const faultRuns = faults.map(async (fault, at) => {
    await Bun.sleep(interval * (at + 1));
    await fault();
  });
  await Promise.all(faultRuns);
  return await recording;
}

/** Operations on one animal, each with its relative weight. */
const WEIGHTS = [
  [6, getPet],
  [6, update],
  [4, place],
  [4, moveOrder],
  [1, remove],
  [1, getOrder],
  [1, listOrders],
] as const;
const CHOICES = WEIGHTS.flatMap(([weight, operation]) =>
  Array.from({ length: weight }, () => operation),
);

/** Runs one random operation of a client. */
async function doOne(work: Work): Promise<void> {
  const { random } = work.client;
  if (work.animals.needsMore) return await create(work);
  const choice = random.below(10);
  if (choice === 0) return await listPets(work);
  if (choice === 1) return await findPets(work);
  const animal = random.one([...work.animals.current]);
  const operation = random.one(CHOICES);
  if (animal !== undefined) await operation?.(work, animal);
}
