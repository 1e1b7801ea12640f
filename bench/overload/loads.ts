import { animalAt } from '../animals.ts';
import {
  ANIMALS,
  additions,
  cachedAnimals,
  firstPageOnly,
  type Kind as NamedKind,
} from '../kinds.ts';

/** One kind of request in a load, and the check of its responses. */
type Kind = Omit<NamedKind, 'name'>;

/** A mix of requests, sent in turn, and its number of connections. */
export interface Load {
  readonly name: 'mixed' | 'create' | 'search';
  readonly title: string;
  /** Sent in this order, then from the first again. */
  readonly kinds: readonly Kind[];
  /**
   * Connections, in seconds of the service's maximum rate: each request waits this long if all of
   * them are busy and none is refused.
   */
  readonly connectionSeconds: number;
  /** Always-busy connections while the maximum is measured: enough to share transactions. */
  readonly busyConnections: number;
}

const DIGITS = 4;
const LIMITS = Array.from({ length: 10 }, (_, i) => 100 - i);
/** The number of different searches: too many for the response cache. */
const SEARCHES = LIMITS.flatMap((limit) =>
  Array.from({ length: 10 ** DIGITS }, (_, i) => {
    return `/v1/pets?limit=${limit}&name=${String(i).padStart(DIGITS, '0')}`;
  }),
);

/** Searches by a part of the name: each response is computed. */
const search: Kind = {
  load: {
    method: 'GET',
    paths: SEARCHES,
    body: '',
  },
  status: 200,
  isRight: (path, body) =>
    Array.isArray(body) && body.length > 0 && isPageOf(path.slice(-DIGITS), body),
};

/** Checks that these are animals with this part in their names, in the right order. */
function isPageOf(part: string, body: readonly unknown[]): boolean {
  let last = 0;
  return body.every((item) => {
    const id = Number(item !== null && typeof item === 'object' && 'id' in item && item.id);
    const animal = animalAt(id);
    const isRight = id > last && id <= ANIMALS && animal.name.includes(part);
    last = id;
    return isRight && Bun.deepEquals(item, animal, true);
  });
}

export const loads: readonly Load[] = [
  {
    name: 'mixed',
    title: 'seven lists, one animal and two additions of ten',
    kinds: kinds('list get create list list list list create list list'),
    connectionSeconds: 0.75,
    busyConnections: 512,
  },
  {
    name: 'create',
    title: 'additions',
    kinds: kinds('create'),
    connectionSeconds: 0.75,
    busyConnections: 512,
  },
  {
    name: 'search',
    title: 'up to 100 animals by a part of their name, each time another one',
    kinds: [search],
    connectionSeconds: 2,
    busyConnections: 16,
  },
];

function kinds(names: string): readonly Kind[] {
  const all = [firstPageOnly, cachedAnimals, additions];
  return names.split(' ').flatMap((wanted) => all.filter(({ name }) => name === wanted));
}
