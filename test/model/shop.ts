import { foldCase } from '../../src/domain/name.ts';
import type { OrderStatus } from '../../src/domain/order.ts';
import type { PetStatus } from '../../src/domain/pet.ts';

export interface ModelPet {
  name: string;
  categoryId: number;
  status: PetStatus;
  history: PetStatus[];
}

/** The PII fields that an order has. */
export type ModelPii = Partial<Record<'adopter' | 'contact' | 'note', string>>;

export interface ModelOrder {
  petId: number;
  pii: ModelPii;
  status: OrderStatus;
}

/** The requested change of an order: null erases. */
export type ModelOrderChange = { status?: OrderStatus } & {
  [field in keyof ModelPii]: string | null;
};

/** The expected outcome: a status, and the members that the response must have. */
export interface Outcome {
  readonly status: number;
  readonly body?: Readonly<Record<string, unknown>>;
}

const NEXT: Record<OrderStatus, readonly OrderStatus[]> = {
  placed: ['approved', 'cancelled'],
  approved: ['completed', 'cancelled'],
  completed: [],
  cancelled: [],
};

const PET_AFTER = {
  placed: 'pending',
  approved: 'pending',
  completed: 'sold',
  cancelled: 'available',
} as const;

/** A simple model of the service, in memory: the service must never differ from it. */
export class Shop {
  readonly pets = new Map<number, ModelPet>();
  readonly orders = new Map<number, ModelOrder>();
  readonly categories = new Map<number, string>();
  lastPet = 0;
  lastOrder = 0;
  lastCategory = 0;

  #openOrder(petId: number): ModelOrder | undefined {
    return [...this.orders.values()].find(
      (order) => order.petId === petId && NEXT[order.status].length > 0,
    );
  }

  #setStatus(pet: ModelPet, status: PetStatus): void {
    if (pet.status !== status) pet.history.push(status);
    pet.status = status;
  }

  createPet(name: string, categoryId: number, status: PetStatus): Outcome {
    this.pets.set(++this.lastPet, { name, categoryId, status, history: [status] });
    return { status: 201, body: { id: this.lastPet, name, categoryId, status } };
  }

  updatePet(id: number, change: { name?: string; status?: PetStatus }): Outcome {
    const pet = this.pets.get(id);
    if (pet === undefined) return { status: 404 };
    const moves = change.status !== undefined && change.status !== pet.status;
    if (moves && this.#openOrder(id) !== undefined) return { status: 409 };
    pet.name = change.name ?? pet.name;
    this.#setStatus(pet, change.status ?? pet.status);
    const { name, categoryId, status } = pet;
    return { status: 200, body: { id, name, categoryId, status } };
  }

  deletePet(id: number): Outcome {
    if (!this.pets.has(id)) return { status: 404 };
    if (this.#openOrder(id) !== undefined) return { status: 409 };
    this.pets.delete(id);
    return { status: 204 };
  }

  placeOrder(petId: number, pii: ModelPii): Outcome {
    const pet = this.pets.get(petId);
    if (pet === undefined) return { status: 404 };
    if (pet.status !== 'available') return { status: 409 };
    this.orders.set(++this.lastOrder, { petId, pii, status: 'placed' });
    this.#setStatus(pet, 'pending');
    return { status: 201, body: { id: this.lastOrder, petId, ...pii, status: 'placed' } };
  }

  updateOrder(id: number, { status, ...change }: ModelOrderChange): Outcome {
    const order = this.orders.get(id);
    if (order === undefined) return { status: 404 };
    const moves = status !== undefined && status !== order.status;
    if (moves && !NEXT[order.status].includes(status)) return { status: 409 };
    const present = ([, value]: [string, string | null]) => value !== null;
    const pii = Object.fromEntries(Object.entries({ ...order.pii, ...change }).filter(present));
    const isClosed = NEXT[order.status].length === 0;
    const isNew = ([field, value]: [string, unknown]) =>
      value !== order.pii[field as keyof ModelPii]; // A field of `pii`.
    if (isClosed && Object.entries(pii).some(isNew)) return { status: 409 };
    order.pii = pii;
    if (moves) {
      order.status = status;
      const pet = this.pets.get(order.petId);
      if (pet !== undefined) this.#setStatus(pet, PET_AFTER[status]);
    }
    return { status: 200, body: { id, petId: order.petId, ...pii, status: order.status } };
  }

  #nameTaken(name: string, except?: number): boolean {
    return [...this.categories].some(
      ([id, taken]) => id !== except && foldCase(taken) === foldCase(name),
    );
  }

  createCategory(name: string): Outcome {
    if (this.#nameTaken(name)) return { status: 409 };
    this.categories.set(++this.lastCategory, name);
    return { status: 201, body: { id: this.lastCategory, name } };
  }

  renameCategory(id: number, name: string): Outcome {
    if (!this.categories.has(id)) return { status: 404 };
    if (this.#nameTaken(name, id)) return { status: 409 };
    this.categories.set(id, name);
    return { status: 200, body: { id, name } };
  }

  deleteCategory(id: number): Outcome {
    if (!this.categories.has(id)) return { status: 404 };
    if ([...this.pets.values()].some((pet) => pet.categoryId === id)) return { status: 409 };
    this.categories.delete(id);
    return { status: 204 };
  }
}
