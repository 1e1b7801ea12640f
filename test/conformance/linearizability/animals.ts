import type { Order, Pet } from './history.ts';

/** An animal that the clients work on. */
export interface Animal {
  readonly id: number;
  /** How it looked to one of them, and the entity tag that came with that. */
  seen: { readonly etag: string; readonly pet: Pet } | undefined;
  /** The orders that somebody was told of. */
  readonly orders: Set<number>;
  operations: number;
  /** Changes that were not answered: each doubles what the checker has to look at. */
  unanswered: number;
}

/** The few animals that all clients share. */
export interface Animals {
  /** Those to work on now. */
  readonly current: ReadonlySet<Animal>;
  /** Whether there is room for another one. */
  readonly wanted: boolean;
  add(id: number): void;
  /** No longer works on an animal that was removed. */
  drop(animal: Animal): void;
  /** Counts an operation on an animal, which is let go of after many. */
  use(animal: Animal, isUnanswered: boolean): void;
  /** Whether it was let go of as it was: then what becomes of it is not noted. */
  isLeft(id: number): boolean;
}

/** Few, so that they are fought over. */
const ANIMALS = 5;
const OPERATIONS_MAX = 600;
const UNANSWERED_MAX = 3;

export function createAnimals(): Animals {
  const current = new Set<Animal>();
  const left = new Set<number>();

  return {
    current,
    get wanted() {
      return current.size < ANIMALS;
    },
    add(id) {
      current.add({ id, seen: undefined, orders: new Set(), operations: 0, unanswered: 0 });
    },
    drop: (animal) => void current.delete(animal),
    use(animal, isUnanswered) {
      animal.operations++;
      if (isUnanswered) animal.unanswered++;
      if (animal.operations < OPERATIONS_MAX && animal.unanswered < UNANSWERED_MAX) return;
      if (current.delete(animal)) left.add(animal.id);
    },
    isLeft: (id) => left.has(id),
  };
}

type Members = Readonly<Record<string, unknown>>;

/** The animal in an answer, as the history has it. */
export function petIn(value: unknown): Pet {
  const { name, categoryId, status } = value as Members;
  return { name: String(name), categoryId: Number(categoryId), status: String(status) };
}

/** The order in an answer. */
export function orderIn(value: unknown): Order {
  const { id, status } = value as Members;
  return { id: Number(id), status: String(status) };
}

/** The id of what an answer holds. */
export function idIn(value: unknown): number {
  return Number((value as Members)['id']);
}
