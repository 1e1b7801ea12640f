import { describe, expect, test } from 'bun:test';
import { numbered } from '../../storage/change-recorder.ts';
import { addEnquiry, addListed } from '../../support/enquiries.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { addPerson } from '../../support/people.ts';
import { startPetstore } from '../../support/start.ts';

describe('/v1/enquiries (listEnquiries, getEnquiry, updateEnquiry, orderFromEnquiry)', () => {
  const petstore = forAllTests(() => startPetstore());

  test('are shown to staff alone', async () => {
    const id = await addEnquiry(petstore.storage);
    const { text, status } = await petstore.writer.get(`/v1/enquiries/${id}`);
    expect(status).toBe(200);
    expect(JSON.parse(text)).toMatchObject({
      status: 'new',
      name: 'Robin Álvarez',
      email: 'robin@example.com',
      message: 'May we visit her?\nOn Saturday?',
    });
    for (const path of [`/v1/enquiries/${id}`, '/v1/enquiries']) {
      expectError(await petstore.reader.get(path), 'insufficient_scope');
    }
  });

  test('are listed newest first, with a cursor and by status', async () => {
    const first = await addEnquiry(petstore.storage);
    const second = await addEnquiry(petstore.storage);
    const page = await petstore.writer.get('/v1/enquiries?limit=1&status=new');
    expect(JSON.parse(page.text)).toMatchObject([{ id: Number(second) }]);
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(page.headers.get('link') ?? '') ?? [];
    const { pathname, search } = new URL(next);
    const following = await petstore.writer.get(pathname + search);
    expect(JSON.parse(following.text)).toMatchObject([{ id: Number(first) }]);
    expectError(await petstore.writer.get('/v1/enquiries?status=old'), 'invalid_parameter');
  });

  test('change only as the caller saw them, and can be opened again', async () => {
    const path = `/v1/enquiries/${await addEnquiry(petstore.storage)}`;
    const etag = (await petstore.writer.get(path)).headers.get('etag') ?? '';
    const patch = (status: string, headers = {}) =>
      petstore.writer.patch(path, { status }, headers);
    expect((await patch('answered', { 'if-match': etag })).status).toBe(200);
    expectError(await patch('closed', { 'if-match': etag }), 'precondition_failed');
    expectError(await patch('lost'), 'invalid_body');
    expect(JSON.parse((await petstore.writer.get(path)).text).status).toBe('answered');
    expect(JSON.parse((await patch('new')).text).status).toBe('new');
  });

  test('have a note and an owner, who is found by id, name and filter', async () => {
    const kim = await addPerson(petstore, { name: 'Kim' });
    const viewer = await addPerson(petstore, { role: 'viewer' });
    const id = await addEnquiry(petstore.storage);
    const path = `/v1/enquiries/${id}`;
    const owned = await petstore.writer.patch(path, { ownerId: kim.id, note: 'Call on Monday' });
    expect(JSON.parse(owned.text)).toMatchObject({
      ...{ ownerId: kim.id, ownerName: 'Kim', note: 'Call on Monday', status: 'new' },
    });
    const found = async (ownerId: string | number) =>
      JSON.parse((await petstore.writer.get(`/v1/enquiries?ownerId=${ownerId}`)).text).map(
        (enquiry: { readonly id: number }) => enquiry.id,
      );
    expect(await found(kim.id)).toEqual([Number(id)]);
    expect(await found('none')).not.toContain(Number(id));
    expectError(await petstore.writer.get('/v1/enquiries?ownerId=me'), 'invalid_parameter');
    for (const ownerId of [viewer.id, 9_999, 1]) {
      expectError(await petstore.writer.patch(path, { ownerId }), 'person_not_found');
    }
    for (const body of [{ ownerId: '7' }, { note: '' }, { note: 'x'.repeat(2_001) }]) {
      expectError(await petstore.writer.patch(path, body), 'invalid_body');
    }
    const cleared = await petstore.writer.patch(path, { ownerId: null, note: null });
    expect(Object.keys(JSON.parse(cleared.text))).not.toContain('note');
    expect(await found('none')).toContain(Number(id));
  });

  test('become an adoption once, also when the request is repeated', async () => {
    const petId = await addListed(petstore.storage);
    const id = await addEnquiry(petstore.storage, { petId });
    const order = (headers = {}) => petstore.writer.post(`/v1/enquiries/${id}/order`, {}, headers);
    const key = { 'idempotency-key': 'once' };
    const placed = await order(key);
    expect(placed.status).toBe(201);
    const shown = JSON.parse(placed.text);
    expect(shown).toMatchObject({ petId: Number(petId), adopter: 'Robin Álvarez' });
    const repeated = await order(key);
    expect(repeated.headers.get('idempotent-replayed')).toBe('true');
    expect(repeated.text).toBe(placed.text);
    expectError(await order(), 'conflict');
    const enquiry = await petstore.writer.get(`/v1/enquiries/${id}`);
    expect(JSON.parse(enquiry.text)).toMatchObject({ status: 'answered', orderId: shown.id });
  });

  test('are in events and in the log with ids alone', async () => {
    const message = 'a private marker';
    const id = await addEnquiry(petstore.storage, { message, name: message });
    await petstore.writer.patch(`/v1/enquiries/${id}`, { status: 'closed', note: message });
    await petstore.writer.post(`/v1/enquiries/${id}/order`, {});
    await numbered(petstore.storage.changes);
    const { text } = await petstore.reader.get('/v1/events?limit=100');
    expect(JSON.parse(text)).toContainEqual(
      expect.objectContaining({
        type: 'enquiry.received',
        data: { enquiryId: Number(id), petId: expect.any(Number) },
      }),
    );
    expect(text).not.toContain(message);
    expect(petstore.log.join('')).not.toContain(message);
  });
});
