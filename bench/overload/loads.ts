import { animalAt } from '../animals.ts';
import { ANIMALS, type Scenario, scenarios } from '../scenarios.ts';

/** One kind of request of a load, and what a right answer to it is. */
type Kind = Omit<Scenario, 'name' | 'title'>;

/** A mixture of requests, offered in turn, and how many clients come with it. */
export interface Load {
  readonly name: 'mixed' | 'create' | 'search';
  readonly title: string;
  /** In their order; the first again after the last. */
  readonly kinds: readonly Kind[];
  /**
   * Connections, in seconds of what the service can answer: so long does each request wait where
   * all of them are busy and none is refused.
   */
  readonly crowdSeconds: number;
  /** Connections that are always busy while the most is measured: enough to share transactions. */
  readonly busyConnections: number;
}

const DIGITS = 4;
const LIMITS = Array.from({ length: 10 }, (_, i) => 100 - i);
/** Searches, so many that none is answered with what is ready. */
const SEARCHES = LIMITS.flatMap((limit) =>
  Array.from({ length: 10 ** DIGITS }, (_, i) => {
    return `/v1/pets?limit=${limit}&name=${String(i).padStart(DIGITS, '0')}`;
  }),
);

/** Animals by a part of their name: each answer is worked for. */
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

/** Whether these are animals with this part in their names, each in its place. */
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
    crowdSeconds: 0.75,
    busyConnections: 512,
  },
  {
    name: 'create',
    title: 'additions',
    kinds: kinds('create'),
    crowdSeconds: 0.75,
    busyConnections: 512,
  },
  {
    name: 'search',
    title: 'up to 100 animals by a part of their name, each time another one',
    kinds: [search],
    crowdSeconds: 2,
    busyConnections: 16,
  },
];

function kinds(names: string): readonly Kind[] {
  return names.split(' ').flatMap((name) => scenarios.filter((scenario) => scenario.name === name));
}
