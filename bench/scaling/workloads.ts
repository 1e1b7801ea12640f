import type { Workload } from './model.ts';

/** A shop of medium size: a shelter's web site, not a marketplace. */
const ANIMALS_PER_SHOP = 300;
const REQUESTS_PER_SHOP = 5_000;
const WRITES = 0.01;

/** The more shops share the cache, the less of each one's animals is in it. */
function shops(count: number, cached: number): Workload {
  return {
    name: `${count.toLocaleString('en')} shops`,
    animals: count * ANIMALS_PER_SHOP,
    requestsPerDay: count * REQUESTS_PER_SHOP,
    writes: WRITES,
    cached,
  };
}

export const WORKLOADS: readonly Workload[] = [
  shops(10, 0.8),
  shops(1_000, 0.5),
  shops(100_000, 0.2),
  {
    name: 'a billion requests a day',
    animals: 60_000_000,
    requestsPerDay: 1e9,
    writes: WRITES,
    cached: 0.2,
  },
];
