/** A busy shop's day: who reads what of a shop that has some animals to show, and one that changes each second. */
import { createRandom } from '../test/e2e/crash/random.ts';
import { animalAt } from './animals.ts';
import { type Kind, PAGE } from './kinds.ts';
import { CYCLE, SEED, shuffled, spreadLists } from './mixed.ts';
import type { Scenario } from './scenarios.ts';

/** The public sees every 99th animal. All of these are available. */
const STRIDE = 99;
const PUBLISHED = Array.from({ length: 1_000 }, (_, index) => (index + 1) * STRIDE);
/** The animals on a page of the public. */
const CARDS = 24;
const SPECIES = ['dog', 'cat', 'rabbit'] as const;
const speciesOf = (id: number) => SPECIES[(id / STRIDE) % SPECIES.length] ?? 'dog';
/** Animals from here on are on no page whose animals are compared, so they may change. */
const CHANGING = 96_000;
/** The requests of a kind before their order repeats: enough that no address asks for too many pages. */
const REQUESTS = 6_000;

const at = (path: string) => ({ method: 'GET' as const, body: '', paths: [path] });

/** Publishes animals with whole profiles. */
export async function publish(origin: string, authorization: string): Promise<void> {
  for (const id of PUBLISHED) {
    const profile = {
      ...{ species: speciesOf(id), breed: 'Boxer', sex: 'male', ageGroup: 'adult', size: 'large' },
      ...{ neutered: true, headline: 'Never met a ball that he did not like' },
      description: 'He walks well on a lead and greets everybody. '.repeat(10).trim(),
      ...{ inCareSince: '2026-06-12', published: true },
    };
    await change(`${origin}/v1/pets/${id}/profile`, authorization, profile);
  }
}

async function change(url: string, authorization: string, body: object): Promise<void> {
  const headers = { authorization, 'content-type': 'application/json' };
  const response = await fetch(url, { method: 'PATCH', headers, body: JSON.stringify(body) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url}: ${response.status} ${text}`);
}

/** Changes the status of another animal each second, until it is stopped. Then throws what went wrong. */
export function startChanges(origin: string, authorization: string): () => Promise<void> {
  const ids = PUBLISHED.filter((id) => id >= CHANGING);
  let turn = 0;
  let last = Promise.resolve();
  const timer = setInterval(() => {
    const status = Math.floor(turn / ids.length) % 2 === 0 ? 'pending' : 'available';
    const id = ids[turn++ % ids.length];
    last = last.then(() => change(`${origin}/v1/pets/${id}`, authorization, { status }));
    last.catch(() => {});
  }, 1_000);
  return () => {
    clearInterval(timer);
    return last;
  };
}

/** Returns this many of the items, the nth of them n times as seldom as the first (Zipf). */
function byPopularity<T>(items: readonly T[], count: number): readonly T[] {
  const sums: number[] = [];
  for (let rank = 1; rank <= items.length; rank++) sums.push((sums.at(-1) ?? 0) + 1 / rank);
  const random = createRandom(SEED);
  const total = sums.at(-1) ?? 0;
  return Array.from({ length: count }, () => {
    const wanted = (random.below(1_000_000_000) / 1_000_000_000) * total;
    let [low, high] = [0, sums.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((sums[middle] ?? 0) < wanted) low = middle + 1;
      else high = middle;
    }
    return items[low] as T;
  });
}

const still = shuffled(Array.from({ length: CHANGING - 1 }, (_, index) => index + 1));

/** Single animals, asked for by popularity: few of them often, most of them hardly ever. */
const popularAnimals: Kind = {
  name: 'get',
  load: { ...at(''), paths: byPopularity(still, 50_000).map((id) => `/v1/pets/${id}`) },
  status: 200,
  isRight: (path, body) => Bun.deepEquals(body, animalAt(Number(path.split('/').at(-1))), true),
};

/** The ids on the first page of what the public sees of a species. */
function firstOf(query: URLSearchParams, count: number): readonly number[] {
  const [species, sort] = [query.get('species'), query.get('sort')];
  const ids = PUBLISHED.filter((id) => species === null || speciesOf(id) === species);
  return (sort === 'newest' ? ids.toReversed() : ids).slice(0, count);
}

/** A page must name its animals in order, and a list of the interface must have them. */
function showsAnimals(path: string, body: unknown): boolean {
  const single = /^\/adopt\/(\d+)\//.exec(path)?.[1];
  const query = new URLSearchParams(path.split('?')[1]);
  const isPage = typeof body === 'string';
  const expected = single === undefined ? firstOf(query, isPage ? CARDS : PAGE) : [Number(single)];
  if (!isPage) {
    const shown = body as { pet?: { id?: number } }[];
    return Bun.deepEquals(
      shown.map(({ pet }) => pet?.id),
      expected,
    );
  }
  const heading = single === undefined ? /<h2><a [^>]*>([^<]*)</g : /<h1>([^<]*)</g;
  const names = [...body.matchAll(heading)].map(([, name]) => name);
  return Bun.deepEquals(
    names,
    expected.map((id) => animalAt(id).name),
  );
}

const slug = (id: number) => animalAt(id).name.toLowerCase().replace(' ', '-');
const queries = SPECIES.flatMap((species) =>
  ['newest', 'name'].map((sort) => `?species=${species}&sort=${sort}`),
);
const seen = PUBLISHED.filter((id) => id < CHANGING).map((id) => `/adopt/${id}/${slug(id)}`);

/** Pages of the public and lists of what it sees, a third each: lists, pages of an animal, listings. */
const publicPages: Kind = {
  name: 'page',
  load: {
    ...at(''),
    paths: byPopularity(shuffled(seen), REQUESTS / 3).flatMap((animal, index) => {
      const query = queries[index % queries.length];
      return [`/adopt${query}`, animal, `/v1/listings${query}`];
    }),
  },
  status: 200,
  isRight: showsAnimals,
};

/** The one page that a visitor sees first, by name. */
export const publicPage: Kind = {
  ...publicPages,
  load: { ...at(''), paths: Array<string>(REQUESTS).fill('/adopt?sort=name') },
};

const THIRDS = [0, 1, 2].flatMap((kind) => Array<number>(CYCLE).fill(kind));

/** Nineteen of twenty requests read. The others are the changes: one a second. */
export const day: Scenario = {
  name: 'day',
  title:
    "A busy shop's day: lists with several filters, animals by popularity, public pages and listings; one change a second",
  kinds: [spreadLists, popularAnimals, publicPages],
  order: shuffled(THIRDS),
  changes: true,
};
