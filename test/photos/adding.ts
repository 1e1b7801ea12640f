import { expect } from 'bun:test';
import { idOf } from '../support/animals.ts';
import type { Client, ClientResponse, SentHeaders } from '../support/client.ts';
import type { TestPetstore } from '../support/start.ts';

/** A photo, as the interface shows it. */
export interface ShownPhoto {
  readonly id: number;
  readonly alt: string | null;
  readonly position: number;
  readonly focus: { readonly x: number; readonly y: number };
  readonly width: number;
  readonly height: number;
  readonly urls: Readonly<Record<'small' | 'medium' | 'large' | 'jpeg' | 'full', string>>;
}

/** Adds an animal and returns its id. */
export async function addAnimal(client: Client): Promise<bigint> {
  return idOf(await client.post('/v1/pets', { name: 'Chloe', categoryId: 1 }));
}

/** Sends a file as a photo of an animal. */
export function sendPhoto(
  client: Client,
  petId: bigint,
  file: Bun.BodyInit,
  query = '',
  headers: SentHeaders = {},
): Promise<ClientResponse> {
  return client.send('POST', `/v1/pets/${petId}/photos${query}`, {
    headers: { 'content-type': 'image/jpeg', ...headers },
    body: file,
  });
}

/** Adds a photo and returns it. */
export async function addPhoto(
  client: Client,
  petId: bigint,
  file: Bun.BodyInit,
  query = '',
): Promise<ShownPhoto> {
  const added = await sendPhoto(client, petId, file, query);
  expect(added.status, added.text).toBe(201);
  return JSON.parse(added.text);
}

/** Returns the photos of an animal. */
export async function photosOf(client: Client, petId: bigint): Promise<readonly ShownPhoto[]> {
  const { status, text } = await client.get(`/v1/pets/${petId}/photos`);
  expect(status).toBe(200);
  return JSON.parse(text);
}

/** Lists an animal for the public, or no longer. */
export async function publish(client: Client, petId: bigint, published = true): Promise<void> {
  const { status } = await client.patch(`/v1/pets/${petId}/profile`, {
    species: 'dog',
    published,
  });
  expect(status).toBe(200);
}

/** Asks for a file of a photo at the server as it is bound now. */
export function fetchFile(
  { url }: Pick<TestPetstore, 'url'>,
  address: string,
  init: RequestInit = {},
): Promise<Response> {
  return fetch(url + new URL(address).pathname, init);
}
