import { describe, expect, test } from 'bun:test';
import { numbered } from '../../storage/change-recorder.ts';
import { addAnimals, idOf } from '../../support/animals.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore } from '../../support/start.ts';

interface Line {
  readonly id: number;
  readonly type: string;
  readonly timestamp: string;
  readonly actor?: { readonly keyId: number; readonly name: string } | null;
  readonly subject: { readonly type: string; readonly id?: number; readonly petId?: number };
  readonly changes?: Record<string, unknown>;
}

const MARKER = 'Secret Person';

describe('GET /v1/audit (listAudit)', () => {
  const petstore = forAllTests(() => startPetstore());

  /** Reads the audit once every change made so far has an id. */
  const read = async (query: string) => {
    await numbered(petstore.storage.changes);
    return petstore.admin.get(`/v1/audit${query}`);
  };
  const audit = async (query = ''): Promise<Line[]> => {
    const response = await read(query);
    expect(response.status).toBe(200);
    return JSON.parse(response.text);
  };
  const newest = async () => (await audit('?sort=newest&limit=1'))[0]?.id ?? 0;
  /** What a request adds to the audit. */
  async function linesOf(act: () => Promise<unknown>): Promise<Line[]> {
    const before = await newest();
    await act();
    return await audit(`?after=${before}&limit=100`);
  }
  const addPet = async (name = 'Rex') =>
    idOf(await petstore.writer.post('/v1/pets', { name, categoryId: 7 }));

  describe('200', () => {
    test('says who changed an animal from what to what, byte for byte', async () => {
      const maria = await petstore.keyWith({ name: 'Maria', scopes: ['write'] });
      const id = await addPet();
      const before = await newest();
      await maria.client.patch(
        `/v1/pets/${id}`,
        '{"name":"Max","categoryId":-9223372036854775807}',
      );
      const { text } = await read(`?after=${before}`);
      const at = new Date(petstore.clock.now()).toISOString();
      expect(text).toBe(
        `[{"id":${before + 1},"timestamp":"${at}","type":"pet.updated",` +
          `"actor":{"keyId":${maria.id},"name":"Maria"},"subject":{"type":"pet","id":${id},"name":"Max"},` +
          '"changes":{"name":["Rex","Max"],"categoryId":[7,-9223372036854775807]}}]',
      );
    });

    test('shows a creation from nothing, and a removal to nothing', async () => {
      const id = await addPet('Ida');
      const lines = await linesOf(async () => {
        const second = await addPet('Eva');
        await petstore.writer.delete(`/v1/pets/${id}`);
        await petstore.writer.post(`/v1/pets/${id}/restore`, {});
        return second;
      });
      expect(lines.map(({ type, changes }) => [type, changes])).toEqual([
        [
          'pet.created',
          { name: [null, 'Eva'], categoryId: [null, 7], status: [null, 'available'] },
        ],
        ['stay.ended', { outcomeDate: [null, '2027-01-15'], outcomeType: [null, 'other'] }],
        [
          'pet.deleted',
          { name: ['Ida', null], categoryId: [7, null], status: ['available', null] },
        ],
        [
          'pet.restored',
          { name: [null, 'Ida'], categoryId: [null, 7], status: [null, 'available'] },
        ],
        ['stay.started', { outcomeDate: ['2027-01-15', null], outcomeType: ['other', null] }],
      ]);
    });

    test('says of personal details only that they changed', async () => {
      const id = await addPet();
      const lines = await linesOf(async () => {
        const person = { adopter: MARKER, contact: MARKER, note: MARKER };
        const order = idOf(
          await petstore.writer.post('/v1/store/orders', { petId: Number(id), ...person }),
        );
        await petstore.writer.patch(`/v1/store/orders/${order}`, { adopter: `${MARKER} 2` });
      });
      expect(lines.map(({ type, changes }) => [type, changes])).toEqual([
        [
          'order.placed',
          {
            ...{ petId: [null, Number(id)], status: [null, 'placed'] },
            ...{ adopter: true, contact: true, note: true },
          },
        ],
        ['pet.updated', { status: ['available', 'pending'] }],
        ['order.updated', { adopter: true }],
      ]);
      expect(JSON.stringify(await audit('?limit=100'))).not.toContain(MARKER);
    });

    test('names private fields of a profile', async () => {
      const id = await addPet();
      const lines = await linesOf(() =>
        petstore.writer.patch(`/v1/pets/${id}/profile`, { sex: 'male', medicalNotes: 'Limps' }),
      );
      expect(lines.map(({ changes }) => changes)).toEqual([
        { sex: [null, 'male'], medicalNotes: [null, 'Limps'] },
      ]);
    });

    test('shows keys without what they are', async () => {
      let key = '';
      const lines = await linesOf(async () => {
        const made = await petstore.admin.post('/v1/keys', {
          name: 'Web',
          plan: 'free',
          scopes: ['read'],
        });
        key = JSON.parse(made.text).key;
        const path = `/v1/keys/${idOf(made)}`;
        await petstore.admin.patch(path, { name: 'Web site' });
        await petstore.admin.post(`${path}/rotate`, {});
        await petstore.admin.post(`${path}/unban`, undefined);
        await petstore.admin.delete(path);
      });
      expect(lines.map(({ type }) => type)).toEqual([
        ...['key.created', 'key.updated', 'key.rotated', 'key.unbanned', 'key.revoked'],
      ]);
      expect(lines[1]?.changes).toEqual({ name: ['Web', 'Web site'] });
      expect(JSON.stringify(lines)).not.toContain(key.slice(15));
      expect(JSON.stringify(lines)).not.toMatch(/[0-9a-f]{40}/);
    });

    test('shows webhooks without their secrets', async () => {
      const lines = await linesOf(async () => {
        const created = await petstore.admin.post('/v1/webhooks', { url: 'https://example.com/' });
        const path = `/v1/webhooks/${idOf(created)}`;
        await petstore.admin.patch(path, { status: 'disabled' });
        await petstore.admin.post(`${path}/secret`, {});
        await petstore.admin.delete(path);
      });
      expect(lines.map(({ type }) => type)).toEqual([
        ...['webhook.created', 'webhook.updated', 'webhook.rotated', 'webhook.deleted'],
      ]);
      expect(lines[1]?.changes).toEqual({
        status: ['enabled', 'disabled'],
        disabledReason: [null, 'requested'],
      });
      expect(JSON.stringify(lines)).not.toContain('whsec_');
    });

    test('shows an import as one line, which opens', async () => {
      const file = 'name,categoryId\nAda,7\nBob,7\n';
      const before = await newest();
      const started = await petstore.writer.send('POST', '/v1/imports', {
        body: file,
        headers: { 'content-type': 'text/csv' },
      });
      const lines = await eventually(
        () => audit(`?after=${before}`),
        (found) => found.length > 0,
      );
      expect(lines).toHaveLength(1);
      expect(lines[0]).toMatchObject({
        type: 'import.ended',
        subject: { id: Number(idOf(started)) },
      });
      expect(lines[0]?.changes).toMatchObject({ status: [null, 'completed'], created: [null, 2] });
      const opened = await audit(`?import=${idOf(started)}`);
      expect(opened.map(({ type, changes }) => [type, changes?.['name']])).toEqual([
        ['pet.created', [null, 'Ada']],
        ['pet.created', [null, 'Bob']],
      ]);
    });

    test('names nobody for a command', async () => {
      const lines = await linesOf(() => addAnimals(petstore.storage, [{ name: 'From a file' }]));
      expect(lines[0]?.actor).toBeNull();
    });

    test('filters by actor, type, animal and time, in both orders, page by page', async () => {
      const ana = await petstore.keyWith({ name: 'Ana', scopes: ['write'] });
      const start = new Date(petstore.clock.now() + 86_400_000).toISOString();
      petstore.clock.advance(86_400_000);
      const id = idOf(await ana.client.post('/v1/pets', { name: 'Lia', categoryId: 7 }));
      for (const name of ['Mia', 'Nia']) await ana.client.patch(`/v1/pets/${id}`, { name });
      await addPet('Other');
      const names = (lines: Line[]) =>
        lines.map(({ changes }) => (changes?.['name'] as string[] | undefined)?.[1]);
      expect(names(await audit(`?actor=${ana.id}`))).toEqual(['Lia', 'Mia', 'Nia']);
      expect(names(await audit(`?actor=${ana.id}&type=pet.updated`))).toEqual(['Mia', 'Nia']);
      expect(names(await audit(`?pet=${id}&sort=newest`))).toEqual(['Nia', 'Mia', 'Lia']);
      expect(names(await audit(`?from=${start}`))).toEqual(['Lia', 'Mia', 'Nia', 'Other']);
      expect(names(await audit(`?from=${start}&type=pet.created`))).toEqual(['Lia', 'Other']);
      const first = await read(`?from=${start}&to=2999-01-01T00:00:00Z&limit=3`);
      const [, next = ''] =
        /<[^>]*(\/v1\/audit[^>]*)>; rel="next"/.exec(first.headers.get('link') ?? '') ?? [];
      const rest = await petstore.admin.get(next);
      expect(names(JSON.parse(rest.text))).toEqual(['Other']);
      expect(rest.headers.get('link')).not.toContain('next');
    });
  });

  test('400 for a type that does not exist', async () => {
    expectError(await petstore.admin.get('/v1/audit?type=pet.eaten'), 'invalid_parameter');
  });

  test('403 without admin', async () => {
    expectError(await petstore.writer.get('/v1/audit'), 'insufficient_scope');
  });
});
