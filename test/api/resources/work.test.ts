import { describe, expect, test } from 'bun:test';
import { DAY_MS } from '../../../src/domain/clock.ts';
import { idOf } from '../../support/animals.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import type { ClientResponse } from '../../support/client.ts';
import { addEnquiry } from '../../support/enquiries.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

const petstore = forEachTest(() => startPetstore());

const facts = ({ text }: ClientResponse) => JSON.parse(text);

describe('GET /v1/work (getWork)', () => {
  test('200: shows what waits, without anything personal', async () => {
    const { writer, clock } = petstore;
    const id = Number(idOf(await writer.post('/v1/pets', { name: 'Rex', categoryId: 1 })));
    const listed = { species: 'dog', published: true, inCareSince: '2020-01-01' };
    await writer.patch(`/v1/pets/${id}/profile`, { ...listed, medicalNotes: 'PRIVATE' });
    const personal = { adopter: 'PRIVATE', contact: 'PRIVATE', note: 'PRIVATE' };
    const letter = { name: 'PRIVATE', message: 'PRIVATE', email: 'PRIVATE@example.com' };
    const enquiryId = await addEnquiry(petstore.storage, { petId: BigInt(id), ...letter });
    const order = await writer.post('/v1/store/orders', { petId: id, ...personal });
    expect(facts(await writer.get('/v1/work')).orders).toEqual({ count: 0, first: [] });
    clock.advance(3 * DAY_MS);
    const response = await writer.get('/v1/work');
    expect(response.status).toBe(200);
    expect(response.text).not.toContain('PRIVATE');
    const { placedAt } = facts(order);
    expect(facts(response)).toEqual({
      orders: {
        count: 1,
        first: [{ id: 1, petId: id, petName: 'Rex', status: 'placed', placedAt }],
      },
      enquiries: {
        count: 1,
        first: [
          {
            id: Number(enquiryId),
            petId: id,
            petName: 'Rex',
            receivedAt: new Date(CHANGE_STAMP.at).toISOString(),
          },
        ],
      },
      longInCare: { count: 1, first: [{ petId: id, petName: 'Rex', since: '2020-01-01' }] },
      withoutPhoto: { count: 1, first: [{ petId: id, petName: 'Rex', status: 'pending' }] },
      endedHolds: { count: 0, first: [] },
      imports: { count: 0, first: [] },
    });
  });

  test('200: shows failing webhooks to admins alone', async () => {
    const { admin, writer, database } = petstore;
    const url = 'https://partner.example/events';
    await petstore.storage.webhooks.create(
      { url, types: null, description: null, createdAt: 1 },
      () => 'secret',
    );
    await database.sql('UPDATE webhooks SET failing_since = 1800000000000');
    expect(facts(await admin.get('/v1/work')).webhooks).toEqual({
      count: 1,
      first: [{ id: 1, url, failingSince: '2027-01-15T08:00:00.000Z', disabledReason: null }],
    });
    expect(facts(await writer.get('/v1/work'))).not.toHaveProperty('webhooks');
  });
});
