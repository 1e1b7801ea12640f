import { describe, expect, test } from 'bun:test';
import { numbered } from '../../storage/change-recorder.ts';
import { idOf } from '../../support/animals.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

const add = async () =>
  idOf(await petstore.writer.post('/v1/pets', { name: 'Rex', categoryId: 7 }));

describe('GET /v1/pets/{petId}/history (listPetHistory)', () => {
  async function told() {
    const id = await add();
    await petstore.writer.patch(`/v1/pets/${id}/profile`, { sex: 'male', location: 'Run 4' });
    await petstore.writer.patch(`/v1/pets/${id}/profile`, { location: 'Run 5' });
    await petstore.writer.post('/v1/store/orders', { petId: Number(id), adopter: 'Kim' });
    await numbered(petstore.storage.changes);
    return id;
  }

  test('200 with everything and its authors for staff, also after the removal', async () => {
    const id = await told();
    await petstore.writer.patch('/v1/store/orders/1', { status: 'cancelled' });
    await petstore.writer.delete(`/v1/pets/${id}`);
    await numbered(petstore.storage.changes);
    const lines = JSON.parse((await petstore.writer.get(`/v1/pets/${id}/history`)).text);
    expect(lines.map(({ type }: { type: string }) => type)).toEqual([
      ...['pet.created', 'profile.updated', 'profile.updated', 'order.placed', 'pet.updated'],
      ...['order.updated', 'pet.updated', 'stay.ended', 'pet.deleted'],
    ]);
    for (const line of lines) expect(line.actor.name).toBe('the write client');
    expect(lines[2].changes).toEqual({ location: ['Run 4', 'Run 5'] });
  });

  test('200 without authors, private and personal fields for others', async () => {
    const { text } = await petstore.reader.get(`/v1/pets/${await told()}/history?limit=3`);
    const lines = JSON.parse(text);
    expect(lines.map(({ changes }: { changes: object }) => Object.keys(changes))).toEqual([
      ['name', 'categoryId', 'status'],
      ['sex'],
    ]);
    for (const line of lines) expect(line).not.toHaveProperty('actor');
    expect(text).not.toContain('Run');
  });

  test('400 for a cursor of another list', async () => {
    const response = await petstore.reader.get(
      `/v1/pets/${await add()}/history?cursor=${'A'.repeat(22)}`,
    );
    expectError(response, 'invalid_cursor');
  });

  test('200 for an animal whose changes have no ids yet', async () => {
    expect((await petstore.reader.get(`/v1/pets/${await add()}/history`)).status).toBe(200);
  });

  test('404 for an animal that never was', async () => {
    expectError(await petstore.reader.get('/v1/pets/999999/history'), 'pet_not_found');
  });
});

describe('POST /v1/pets/{petId}/restore (restorePet)', () => {
  const restore = (id: bigint) => petstore.writer.post(`/v1/pets/${id}/restore`, {});
  const remove = (id: bigint) => petstore.writer.delete(`/v1/pets/${id}`);
  const DAY_MS = 86_400_000;

  test('200 brings back the animal with its profile, and says so in an event', async () => {
    const id = await add();
    await petstore.writer.patch(`/v1/pets/${id}`, { status: 'sold' });
    await petstore.writer.patch(`/v1/pets/${id}/profile`, { sex: 'male', location: 'Run 4' });
    const [pet, profile] = await Promise.all([
      petstore.writer.get(`/v1/pets/${id}`),
      petstore.writer.get(`/v1/pets/${id}/profile`),
    ]);
    await remove(id);
    petstore.clock.advance(29 * DAY_MS);
    const response = await restore(id);
    expect(response.status).toBe(200);
    expect(response.text).toBe(pet.text);
    expect((await petstore.writer.get(`/v1/pets/${id}/profile`)).text).toBe(profile.text);
    expect((await petstore.writer.get(`/v1/pets/${id}`)).text).toBe(pet.text);
    await numbered(petstore.storage.changes);
    const { text } = await petstore.reader.get('/v1/events?type=pet.restored');
    expect(JSON.parse(text).map(({ data }: { data: { id: number } }) => data.id)).toEqual([
      Number(id),
    ]);
    await remove(id);
    expect((await restore(id)).status).toBe(200);
  });

  test('409 for an animal that is there', async () => {
    expectError(await restore(await add()), 'conflict');
  });

  test('404 after 30 days, and for one that was never there', async () => {
    const id = await add();
    await remove(id);
    petstore.clock.advance(30 * DAY_MS);
    expectError(await restore(id), 'pet_not_found');
    expectError(await restore(999_999n), 'pet_not_found');
  });
});
