import type { Page } from 'playwright-core';
import type { TestPetstore } from './start.ts';

export interface Animal {
  readonly id: number;
  readonly name: string;
  readonly categoryId: number;
  readonly status: string;
}

/** Adds an animal as a client does, and returns its id. */
export async function addAnimal(
  { writer }: TestPetstore,
  name: string,
  status = 'available',
  categoryId = 1,
): Promise<number> {
  return JSON.parse((await writer.post('/v1/pets', { name, status, categoryId })).text).id;
}

/** The first page of the animals whose name has this text. */
export async function animalsNamed({ reader }: TestPetstore, name: string): Promise<Animal[]> {
  return JSON.parse((await reader.get(`/v1/pets?name=${name}`)).text);
}

/** An animal's row in the table of the console. */
export function rowOf(page: Page, name: string) {
  return page.getByRole('row', { name });
}
