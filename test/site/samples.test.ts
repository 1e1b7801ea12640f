import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Operation } from '../../src/api/contract/operation.ts';
import type { DocumentModel, OperationModel } from '../../src/api/openapi/document-model.ts';
import { EXAMPLE_SERVERS } from '../../src/api/openapi/pages.ts';
import {
  type ExampleRequest,
  exampleRequest,
  SAMPLE_FILE,
} from '../../src/api/openapi/samples/example-request.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { run } from '../client/package.ts';
import { useClientSource } from '../client/source.ts';
import { sampleOf, sendSample } from '../contract/samples.ts';
import { python } from '../docs/python.ts';
import { addPhoto } from '../photos/adding.ts';
import type { Client } from '../support/client.ts';
import { addEnquiry } from '../support/enquiries.ts';
import { picture } from '../support/pictures.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const ROOT = join(import.meta.dir, '../..');
const LABELS = ['curl', 'TypeScript', 'Python', 'PHP'];
setDefaultTimeout(120_000);

interface Sample {
  readonly label: string;
  readonly source: string;
}
type WithSamples = OperationModel & { readonly 'x-codeSamples'?: readonly Sample[] };

const committed: DocumentModel = await Bun.file(join(ROOT, 'openapi.json')).json();

interface Placed {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationModel;
}

/** Every operation of a document, with its place. */
function operationsIn(document: DocumentModel): Placed[] {
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ path, method, operation })),
  );
}

function sampleIn({ 'x-codeSamples': samples = [] }: WithSamples, label: string): string {
  return samples.find((sample) => sample.label === label)?.source ?? '';
}

/**
 * Adds what the sample of an operation needs to an empty database: the records that it names, with
 * their ids, or a record for it to list.
 */
async function addRecords(
  request: ExampleRequest,
  { admin, storage }: Pick<TestPetstore, 'admin' | 'storage'>,
): Promise<void> {
  const { method, path, ids, body } = request;
  const [id, photoId] = ids;
  const { petId } = Object(body?.value);
  if (path.startsWith('/enquiries')) {
    while ((await addEnquiry(storage)) < BigInt(Number(id ?? 1)));
  } else if (id !== undefined) await addUpTo(path.slice(0, path.indexOf('/{')), Number(id), admin);
  else if (method === 'GET') await addOne(operationAdding(path) ? path : '/pets', admin);
  if (path === '/staff') await addOne('/people', admin);
  if (path.endsWith('/restore')) {
    expect((await admin.delete(`/v1/pets/${id}`)).status).toBe(204);
  }
  // Only a completed adoption can be returned.
  for (const status of path.endsWith('/return') ? ['approved', 'completed'] : []) {
    expect((await admin.patch(`/v1/store/orders/${id}`, { status })).status).toBe(200);
  }
  // Only published animals are listed; the sample asks for dogs.
  if (path === '/listings') {
    const listed = { species: 'dog', published: true };
    expect((await admin.patch('/v1/pets/1/profile', listed)).status).toBe(200);
  }
  if (path.includes('{photoId}')) {
    for (let seed = 1; seed <= Number(photoId); seed++) {
      await addPhoto(admin, BigInt(Number(id)), await picture(40, 30, 'png', seed));
    }
  }
  if (petId !== undefined) await addUpTo('/pets', petId, admin);
}

function operationAdding(collection: string): Operation | undefined {
  return operations.find(({ method, path }) => method === 'POST' && path === collection);
}

/** Adds the example of a collection until it has the record with an id. */
async function addUpTo(collection: string, wanted: number, admin: Client): Promise<void> {
  for (let id = 0; id !== wanted; id = await addOne(collection, admin)) {
    if (id > wanted) throw new Error(`the example of ${collection} has the id ${wanted}, too low`);
  }
}

/** Adds the example of a collection and returns its id. */
async function addOne(collection: string, admin: Client): Promise<number> {
  const adding = operationAdding(collection);
  if (adding === undefined) throw new Error(`nothing can be added to ${collection}`);
  const added = await sendSample(admin, await sampleOf(adding, admin));
  if (added.status !== adding.success.status)
    throw new Error(`the example of ${adding.id} fails: ${added.text}`);
  return JSON.parse(added.text).id;
}

/** A delivery of the webhook of the examples. No operation adds one. */
const DELIVERY = `INSERT INTO deliveries
    (webhook_id, event_id, type, record, status, attempts, created_at)
  VALUES (3, 1204, 'pet.created', 'pet 28', 'delivered', 1, 1800000000000)`;

/** A sending to the channel of the examples. It would take one to a server. */
const SENDING = `INSERT INTO sendings
    (channel_id, started_at, ended_at, outcome, row_count, byte_count, left_out_count, left_out, anyway)
  VALUES (2, 1800000000000, 1800000000001, 'sent', 1, 100, 0, '[]', 0)`;

/** Starts a service with just the records that the samples of an operation name. */
async function startWithRecords({ path, method, operation }: Placed): Promise<TestPetstore> {
  const petstore = await startPetstore();
  await addRecords(exampleRequest(committed, path, method, operation), petstore);
  if (path.includes('/deliveries')) await petstore.database.sql(DELIVERY);
  if (path.endsWith('/sendings')) await petstore.database.sql(SENDING);
  if (path.includes('{stayId}'))
    await petstore.database.sql('UPDATE stays SET id = 31 WHERE pet_id = 15');
  return petstore;
}

/** Runs the samples of an operation, each on what a service has at first; one that reads changes nothing. */
async function runSamples(placed: Placed): Promise<Readonly<Record<string, string>>> {
  const said: Record<string, string> = {};
  for (const labels of placed.method === 'get' ? [LABELS] : LABELS.map((label) => [label])) {
    await using petstore = await startWithRecords(placed);
    for (const label of labels) said[label] = await runSample(placed, label, petstore);
  }
  return said;
}

/** Runs a sample as it is shown, but at the address of a service. */
async function runSample(
  { operation }: Placed,
  label: string,
  petstore: TestPetstore,
): Promise<string> {
  using folder = createTemporaryFolder();
  writeFileSync(folder.file(SAMPLE_FILE), await picture(40, 30));
  const shown = sampleIn(operation, label);
  const source = shown.replaceAll(EXAMPLE_SERVERS.productionUrl, petstore.baseUrl);
  if (label === 'curl') {
    writeFileSync(
      folder.file('petstore.headers'),
      `Authorization: Bearer ${petstore.admin.key ?? ''}\n`,
    );
    const curl = 'curl() { command curl --silent --show-error --fail-with-body "$@"; }';
    return await run(['bash', '-c', `set -e\n${curl}\n${source}`], folder.path);
  }
  const env = { PETSTORE_API_KEY: petstore.admin.key ?? '' };
  if (label === 'Python') {
    writeFileSync(folder.file('sample.py'), source);
    const PYTHONPATH = join(ROOT, 'packages/python');
    return await run([python, 'sample.py'], folder.path, { ...env, PYTHONPATH });
  }
  if (label === 'PHP') {
    writeFileSync(folder.file('sample.php'), source);
    return await run(['php', 'sample.php'], folder.path, env);
  }
  useClientSource(folder);
  writeFileSync(folder.file('sample.ts'), source);
  return await run([process.execPath, 'sample.ts'], folder.path, env);
}

describe('the samples in the document', () => {
  test('are for curl, the clients and PHP, in this order, for every operation', () => {
    for (const { operation } of operationsIn(committed)) {
      const { 'x-codeSamples': samples = [] }: WithSamples = operation;
      expect([operation.operationId, samples.map(({ label }) => label)]).toEqual([
        operation.operationId,
        LABELS,
      ]);
    }
  });

  test('show a filter, an id in the path, and a body', () => {
    const sampleAt = (path: string, method: string, label: string) =>
      sampleIn(committed.paths[path]?.[method] ?? Object(), label);
    expect(sampleAt('/pets', 'get', 'curl')).toContain('/v1/pets?status=available"');
    expect(sampleAt('/pets', 'get', 'TypeScript')).toContain(
      "of store.pets.list({ status: 'available' }))",
    );
    expect(sampleAt('/pets/{petId}', 'patch', 'curl')).toMatch(
      /^curl -X PATCH ".*\/v1\/pets\/15" [\s\S]*-H "Content-Type: application\/merge-patch\+json"/m,
    );
    expect(sampleAt('/pets/{petId}', 'patch', 'TypeScript')).toEndWith(
      "const pet = await store.pets.update(15, { status: 'pending' });",
    );
  });

  test('of the client pass the strict checks of the compiler', async () => {
    using folder = createTemporaryFolder();
    useClientSource(folder);
    for (const { operation } of operationsIn(committed)) {
      const source = sampleIn(operation, 'TypeScript');
      expect(source).not.toBe('');
      writeFileSync(folder.file(`${operation.operationId}.ts`), source);
    }
    expect(await run(['tsc', '-p', folder.path], ROOT)).toBe('');
  });

  for (const placed of operationsIn(committed)) {
    const { operation } = placed;
    test(`of ${operation.operationId} work`, async () => {
      const said = await runSamples(placed);
      expect(said['curl'] === '').toBe('204' in operation.responses);
      const prints = (label: string, call: string) =>
        expect(said[label] === '').toBe(!sampleIn(operation, label).includes(call));
      prints('TypeScript', 'console.log');
      prints('Python', 'print(');
      expect(said['PHP']).toMatch(/^HTTP\/1\.1 2\d\d /);
    });
  }
});
