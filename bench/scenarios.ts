import { day, publicPage } from './day.ts';
import { additions, cachedAnimals, everyAnimal, firstPageOnly, type Kind, PAGE } from './kinds.ts';
import type { Load } from './load.ts';
import { mixedKinds, mixedOrder } from './mixed.ts';

/** A load, and the checks of its responses. */
export interface Scenario extends Load {
  readonly name: string;
  readonly title: string;
  readonly kinds: readonly Kind[];
  /** Whether an animal changes each second meanwhile. */
  readonly changes?: boolean;
}

/** Scenarios that are measured in the same rounds. */
export interface Comparison {
  readonly name: 'day' | 'page' | 'mixed' | 'list' | 'get' | 'create';
  readonly scenarios: readonly Scenario[];
}

const page: Scenario = {
  ...simple(
    'page',
    'A public page (GET /adopt?sort=name, 20 of 1,000 animals), one change a second',
    publicPage,
  ),
  changes: true,
};
const mixed: Scenario = {
  name: 'mixed-5',
  title: 'Mixed: half lists, half single animals of 100,000, 5 % additions',
  kinds: mixedKinds,
  order: mixedOrder(50),
};

const list = simple('list', `GET /v1/pets (${PAGE} animals)`, firstPageOnly);
const create = simple('create', 'POST /v1/pets (on disk before the response)', additions);

/** All comparisons in the order of the results. */
export const comparisons: readonly Comparison[] = [
  { name: 'day', scenarios: [day] },
  { name: 'page', scenarios: [page] },
  { name: 'mixed', scenarios: [mixed] },
  { name: 'list', scenarios: [list] },
  {
    name: 'get',
    scenarios: [
      simple(
        'get',
        `GET /v1/pets/{petId} (${cachedAnimals.load.paths.length} animals in turn)`,
        cachedAnimals,
      ),
      simple('spread', `GET /v1/pets/{petId} (all 100,000 animals in turn)`, everyAnimal),
    ],
  },
  { name: 'create', scenarios: [create] },
];

function simple(name: string, title: string, kind: Kind): Scenario {
  return { name, title, kinds: [kind], order: [0] };
}

/** Returns whether a scenario adds animals. */
export function adds({ kinds, order }: Scenario): boolean {
  return order.some((index) => kinds[index]?.load.method === 'POST');
}

/** Returns the kind of the scenario's `turn`th request. */
export function kindAt({ name, kinds, order }: Scenario, turn: number): Kind {
  const kind = kinds[order[turn % order.length] ?? 0];
  if (kind === undefined) throw new Error(`${name} has a step of no kind`);
  return kind;
}

/** Maps the kinds of scenarios. */
export function translated(
  scenarios: readonly Scenario[],
  translate: (kind: Kind) => Kind,
): readonly Scenario[] {
  return scenarios.map((scenario) => ({ ...scenario, kinds: scenario.kinds.map(translate) }));
}
