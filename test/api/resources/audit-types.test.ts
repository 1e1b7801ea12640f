import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AUDIT_TYPES } from '../../../src/domain/audit.ts';
import { CHANGE_TYPES } from '../../../src/domain/change-log.ts';
import { addAnimal, addPhoto, publish } from '../../photos/adding.ts';
import { numbered } from '../../storage/change-recorder.ts';
import { idOf } from '../../support/animals.ts';
import { addEnquiry } from '../../support/enquiries.ts';
import { eventually } from '../../support/eventually.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { invitePerson } from '../../support/people.ts';
import { picture } from '../../support/pictures.ts';
import { startPetstore } from '../../support/start.ts';

/*
 * Makes every kind of change, with a marker in each personal detail and note, and compares what the audit
 * shows of it with the table in the guide.
 */

interface Line {
  readonly type: string;
  readonly subject: { readonly type: string };
  readonly changes: Record<string, unknown>;
}

const GUIDE = join(import.meta.dir, '../../../docs/guides/history.md');
const MARKER = 'Zebulon';

const petstore = forAllTests(() => startPetstore());

async function write(method: 'delete' | 'patch' | 'post', path: string, body: object = {}) {
  const { admin } = petstore;
  const url = `/v1${path}`;
  const response = method === 'delete' ? await admin.delete(url) : await admin[method](url, body);
  if (response.status >= 400) throw new Error(response.text);
  return response;
}

async function changeAnimals(): Promise<bigint> {
  const petId = await addAnimal(petstore.writer);
  await publish(petstore.writer, petId);
  await write('patch', `/pets/${petId}`, { name: 'Max' });
  await write('delete', `/pets/${petId}`);
  await write('post', `/pets/${petId}/restore`);
  const stays = `/pets/${petId}/stays`;
  const [{ id }] = JSON.parse((await petstore.writer.get(`/v1${stays}`)).text);
  await write('patch', `${stays}/${id}`, { intakeType: 'stray', note: MARKER });
  const photo = await addPhoto(petstore.writer, petId, await picture(40, 30));
  await write('patch', `/pets/${petId}/photos/${photo.id}`, { alt: 'At the lake' });
  await write('delete', `/pets/${petId}/photos/${photo.id}`);
  await write('post', '/categories', { name: 'Cats' });
  const category = idOf(await write('post', '/categories', { name: 'Dogs' }));
  await write('patch', `/categories/${category}`, { name: 'Big dogs' });
  await write('delete', `/categories/${category}`);
  return petId;
}

async function changeAdoptions(petId: bigint): Promise<void> {
  const adopter = { adopter: MARKER, contact: MARKER, note: MARKER };
  const order = idOf(await write('post', '/store/orders', { petId: Number(petId), ...adopter }));
  await write('patch', `/store/orders/${order}`, { status: 'approved', adopter: `${MARKER} B.` });
  const stranger = { name: MARKER, email: `${MARKER}@example.com`, message: MARKER };
  const enquiry = await addEnquiry(petstore.storage, stranger);
  const { id: ownerId } = await invitePerson(petstore, { name: 'Kim' });
  const change = { ownerId, status: 'answered', note: MARKER };
  await write('patch', `/enquiries/${enquiry}`, change);
  await write('patch', '/shop', { telephone: '040 123' });
}

async function changeAccess(): Promise<void> {
  const key = `/keys/${idOf(await write('post', '/keys', { name: 'Web', plan: 'free' }))}`;
  await write('patch', key, { name: 'Web site' });
  await write('post', `${key}/rotate`);
  await write('post', `${key}/unban`);
  await write('delete', key);
  const email = `${MARKER.toLowerCase()}@example.org`;
  const person = `/people/${(await invitePerson(petstore, { email })).id}`;
  await write('patch', person, { role: 'manager', email: `b.${email}` });
  await write('post', `${person}/invitation`);
  await write('delete', person);
  const webhook = `/webhooks/${idOf(await write('post', '/webhooks', { url: 'https://example.com/' }))}`;
  await write('patch', webhook, { status: 'disabled' });
  await write('post', `${webhook}/secret`);
  await write('delete', webhook);
  const place = { kind: 'csv', address: 'ftps://shelter@example.com/animals' };
  const channel = `/channels/${idOf(await write('post', '/channels', place))}`;
  await write('patch', channel, { status: 'disabled' });
  await write('delete', channel);
}

async function audit(): Promise<Line[]> {
  await numbered(petstore.storage.changes);
  return JSON.parse((await petstore.admin.get('/v1/audit?limit=100')).text);
}

/** A row for each type: all fields that its lines change, personal ones apart. */
function table(lines: readonly Line[], types: readonly string[]): string {
  const named = (fields: readonly string[]) => fields.map((field) => `\`${field}\``).join(', ');
  const rows = types.map((type) => {
    const seen = lines.filter((line) => line.type === type);
    const changes = seen.flatMap((line) => Object.entries(line.changes));
    const fields = (isPersonal: boolean) =>
      named([
        ...new Set(
          changes.filter(([, value]) => (value === true) === isPersonal).map(([name]) => name),
        ),
      ]);
    return `| \`${type}\` | ${seen[0]?.subject.type} | ${fields(false)} | ${fields(true)} |\n`;
  });
  return [
    '| type | subject | from what to what | that it changed |\n|---|---|---|---|\n',
    ...rows,
  ].join('');
}

test('the audit shows every kind of change as the guide says, and nothing personal', async () => {
  await changeAdoptions(await changeAnimals());
  await changeAccess();
  const file = {
    body: 'name,categoryId\nAda,7\n',
    headers: { 'content-type': 'text/csv' },
  };
  await petstore.writer.send('POST', '/v1/imports', file);
  const lines = await eventually(audit, (found) =>
    found.some(({ type }) => type === 'import.ended'),
  );
  // The audit begins anew with a restored backup, which `store.reset` says.
  const types = [...CHANGE_TYPES, ...AUDIT_TYPES].filter((type) => type !== 'store.reset');
  expect(readFileSync(GUIDE, 'utf8')).toContain(table(lines, types));
  expect(JSON.stringify(lines).toLowerCase()).not.toContain(MARKER.toLowerCase());
});
