import type { Order, Pet } from './history.ts';

/** An animal that the clients work on. */
export interface Animal {
  readonly id: number;
  /** Its state as one client last read it, with that response's entity tag. */
  seen: { readonly etag: string; readonly pet: Pet } | undefined;
  /** Orders whose ids a response has reported. */
  readonly orders: Set<number>;
  operations: number;
  /** Changes with an unknown outcome. Each doubles the checker's search. */
  unknownOutcomes: number;
}

/** The few animals that all clients share. */
export interface Animals {
  /** The animals in use now. */
  readonly current: ReadonlySet<Animal>;
  /** True while there are fewer animals than the clients need. */
  readonly needsMore: boolean;
  add(id: number): void;
  /** Stops using a removed animal. */
  drop(animal: Animal): void;
  /** Counts an operation on an animal, and retires it after many. */
  use(animal: Animal, hasUnknownOutcome: boolean): void;
  /** True for a retired animal: it still exists, but its history is no longer recorded. */
  isRetired(id: number): boolean;
  /** True for an animal that clients of another kind created, or those of an earlier recording. */
  isForeign(pet: Pet): boolean;
}

/** Few, so that the clients compete for them. */
const ANIMALS_MAX = 5;
const OPERATIONS_MAX = 600;
const UNKNOWN_OUTCOMES_MAX = 3;

let categoriesUsed = 0;

/** A category that no animal has had. Negative: no real category has this id, nor do other clients use it. */
export function newCategory(): number {
  return -++categoriesUsed;
}

export function createAnimals(): Animals {
  const usedBefore = categoriesUsed;
  const current = new Set<Animal>();
  const retired = new Set<number>();

  return {
    current,
    get needsMore() {
      return current.size < ANIMALS_MAX;
    },
    add(id) {
      current.add({ id, seen: undefined, orders: new Set(), operations: 0, unknownOutcomes: 0 });
    },
    drop: (animal) => void current.delete(animal),
    use(animal, hasUnknownOutcome) {
      animal.operations++;
      if (hasUnknownOutcome) animal.unknownOutcomes++;
      if (animal.operations < OPERATIONS_MAX && animal.unknownOutcomes < UNKNOWN_OUTCOMES_MAX)
        return;
      if (current.delete(animal)) retired.add(animal.id);
    },
    isRetired: (id) => retired.has(id),
    isForeign: ({ categoryId }) => categoryId >= -usedBefore,
  };
}

type Members = Readonly<Record<string, unknown>>;

/** The animal in a response body, as the history records it. */
export function petIn(value: unknown): Pet {
  const { name, categoryId, status } = value as Members;
  return { name: String(name), categoryId: Number(categoryId), status: String(status) };
}

/** The order in a response body. */
export function orderIn(value: unknown): Order {
  const { id, status } = value as Members;
  return { id: Number(id), status: String(status) };
}

/** The id of the resource in a response body. */
export function idIn(value: unknown): number {
  return Number((value as Members)['id']);
}
