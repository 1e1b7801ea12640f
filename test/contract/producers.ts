import type { Operation } from '../../src/api/contract/operation.ts';
import { operations } from '../../src/api/resources/operations.ts';
import type { FailureCode } from '../../src/domain/failure.ts';
import { generateSessionToken } from '../../src/domain/session.ts';
import { BODY_BYTES_MAX } from '../../src/http/body.ts';
import { TARGET_BYTES_MAX } from '../../src/http/target.ts';
import type { Client, ClientResponse } from '../support/client.ts';
import { type KeyOptions, startPetstore, type TestPetstore } from '../support/start.ts';
import { CONFLICTS } from './conflicts.ts';
import { type Sample, sampleOf, sendSample } from './samples.ts';

/** Makes an operation respond with a failure. */
export type Producer = (petstore: TestPetstore, operation: Operation) => Promise<ClientResponse>;

/** Sends a sample as the admin client, with changes. */
function changed(change: (sample: Sample, operation: Operation) => Partial<Sample>): Producer {
  return async ({ admin }, operation) => {
    const sample = await sampleOf(operation, admin);
    return sendSample(admin, sample, change(sample, operation));
  };
}

function withHeaders(headers: Readonly<Record<string, string>>): Producer {
  return changed((sample) => ({ headers: { ...sample.headers, ...headers } }));
}

function withBody(body: string): Producer {
  return changed(() => ({ body }));
}

function withQuery(query: string): Producer {
  return changed(({ target }) => ({ target: `${target}?${query}` }));
}

/** A form that ends before any part. */
const withoutFile = changed(({ headers }) => ({
  headers: { ...headers, 'content-type': 'multipart/form-data; boundary=x' },
  body: '--x--\r\n',
}));

/** For an id that does not exist. */
const unknownId = changed(({ target }) => ({ target: target.replace(/\/\d+(?=\/|$)/, '/999999') }));

/** Sends the sample with a key of this kind until it is refused with a code. */
function withKey(
  options: KeyOptions,
  code: FailureCode,
  prepare: (client: Client) => Promise<void> = async () => {},
): Producer {
  return async (petstore, operation) => {
    const sample = await sampleOf(operation, petstore.admin);
    const { client } = await petstore.keyWith(options);
    await prepare(client);
    for (;;) {
      const response = await sendSample(client, sample);
      if (response.text.includes(code) || response.status >= 500) return response;
    }
  };
}

/** Bans a key. */
async function banned(client: Client): Promise<void> {
  while (!(await client.get('/v1/pets')).text.includes('api_key_banned'));
}

/** A client without a key, on a server that allows none: nothing is unmetered for it. */
const asStranger: Producer = async ({ admin }, operation) => {
  const settings = { PETSTORE_ANONYMOUS_PER_MINUTE: '0' };
  await using strict = await startPetstore({ settings });
  return await sendSample(strict.anonymous, await sampleOf(operation, admin));
};

/** A server that broke after everything was added that a request to an operation needs. */
export interface BrokenPetstore extends AsyncDisposable {
  send(operation: Operation): Promise<ClientResponse>;
}

/** How a server breaks, by the failure that all requests get then. */
export const FAULTS = {
  internal_error: ({ database }: TestPetstore) =>
    database.sql('ALTER TABLE api_keys RENAME TO elsewhere'),
  service_unavailable: ({ database }: TestPetstore) => database.destroy(),
};

/** Starts a server and breaks it. */
export async function breakPetstore(code: keyof typeof FAULTS): Promise<BrokenPetstore> {
  const petstore = await startPetstore();
  const requests = new Map<Operation, () => Promise<ClientResponse>>();
  for (const operation of operations) {
    const sample = await sampleOf(operation, petstore.admin);
    // A key that was not used before, so it must be looked up.
    const { client } = await petstore.keyWith({ scopes: ['admin'] });
    requests.set(operation, () => sendSample(client, sample));
  }
  await FAULTS[code](petstore);
  return {
    async send(operation) {
      const request = requests.get(operation);
      if (request === undefined) throw new Error(`${operation.id} is no operation`);
      return await request();
    },
    [Symbol.asyncDispose]: () => petstore[Symbol.asyncDispose](),
  };
}

/** A repeat while the first request waits for another writer to finish. */
const whileUnderWay: Producer = async ({ admin, database }, operation) => {
  const sample = await sampleOf(operation, admin);
  const headers = { ...sample.headers, 'idempotency-key': crypto.randomUUID() };
  await using _ = await database.holdWrites();
  const first = sendSample(admin, sample, { headers });
  for (;;) {
    // The first to arrive waits; the other is refused at once.
    const second = sendSample(admin, sample, { headers });
    const refused = await Promise.race([first, second]);
    if (refused.status === 409) return refused;
  }
};

/** Produces each failure for any operation; undefined where operations differ. */
export const PRODUCERS: Readonly<Record<FailureCode, Producer | undefined>> = {
  invalid_json: withBody('{'),
  invalid_body: withBody('[]'),
  invalid_parameter: changed(({ target, headers }, { queryParameters }) => ({
    target: `${target}?${Object.keys(queryParameters?.shape ?? {})[0] ?? 'unknown'}=`,
    headers: { ...headers, ...(queryParameters === undefined && { prefer: 'handling=strict' }) },
  })),
  invalid_cursor: withQuery(`cursor=${'A'.repeat(22)}`),
  invalid_idempotency_key: withHeaders({ 'idempotency-key': 'x'.repeat(256) }),
  invalid_request: withQuery('x=%FF'),
  missing_api_key: async ({ admin, anonymous }, operation) =>
    sendSample(anonymous, await sampleOf(operation, admin)),
  invalid_api_key: withHeaders({ authorization: 'Bearer x' }),
  insufficient_scope: withKey({ scopes: [] }, 'insufficient_scope'),
  cross_site_request: async ({ admin, anonymous }, operation) => {
    const sample = await sampleOf(operation, admin);
    const cookie = `petstore_session=${generateSessionToken((count) => new Uint8Array(count))}`;
    return sendSample(anonymous, sample, {
      headers: { ...sample.headers, cookie, 'sec-fetch-site': 'same-site' },
    });
  },
  insecure_connection: undefined,
  // Of the calls of the console, which are no operations.
  wrong_password: undefined,
  invalid_invitation: undefined,
  too_many_sign_ins: undefined,
  pet_not_found: unknownId,
  order_not_found: unknownId,
  enquiry_not_found: unknownId,
  category_not_found: unknownId,
  key_not_found: unknownId,
  person_not_found: unknownId,
  webhook_not_found: unknownId,
  channel_not_found: unknownId,
  delivery_not_found: undefined,
  import_not_found: unknownId,
  photo_not_found: unknownId,
  stay_not_found: unknownId,
  route_not_found: undefined,
  method_not_allowed: undefined,
  conflict: undefined,
  idempotency_in_progress: whileUnderWay,
  operation_removed: async ({ admin, clock }, operation) => {
    const sample = await sampleOf(operation, admin);
    const before = clock.now();
    clock.set(operation.deprecation?.sunset ?? before);
    const response = await sendSample(admin, sample);
    clock.set(before);
    return response;
  },
  events_expired: async ({ admin, storage }, operation) => {
    const sample = await sampleOf(operation, admin);
    for (const name of ['Rex', 'Tom']) await admin.post('/v1/pets', { name, categoryId: 1 });
    for (;;) {
      // Changes may get their ids some time after they were made.
      await storage.changes.removeExpired(Number.MAX_SAFE_INTEGER, 1_000);
      const response = await sendSample(admin, sample, { target: `${sample.target}?after=0` });
      if (response.status !== 200) return response;
    }
  },
  precondition_failed: withHeaders({ 'if-match': '"0000000000000000"' }),
  body_too_large: changed((_, { upload }) => ({
    body: ' '.repeat((upload?.bytesMax ?? BODY_BYTES_MAX) + 1),
  })),
  uri_too_long: withQuery('x'.repeat(TARGET_BYTES_MAX)),
  unsupported_media_type: withHeaders({ 'content-type': 'text/plain' }),
  idempotency_key_reused: async ({ admin }, operation) => {
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const sample = await sampleOf(operation, admin);
    const first = { ...sample, headers: { ...sample.headers, ...headers } };
    await sendSample(admin, first);
    // A photo may have anything behind its end.
    const other = Buffer.concat([Buffer.from(first.body ?? ''), Buffer.from(' ')]);
    return sendSample(admin, first, { body: other });
  },
  rate_limit_minute: (petstore, operation) =>
    operation.unmetered === true
      ? asStranger(petstore, operation)
      : withKey({ perMinute: 1, scopes: ['admin'] }, 'rate_limit_minute')(petstore, operation),
  rate_limit_day: withKey({ perDay: 1, scopes: ['admin'] }, 'rate_limit_day'),
  api_key_banned: withKey({ perMinute: 1, scopes: ['admin'] }, 'api_key_banned', banned),
  headers_too_large: undefined,
  // Of a server that is broken: `breakPetstore`.
  internal_error: undefined,
  service_unavailable: undefined,
};

/** Failures that differ by operation: `placeOrder conflict`. */
export const OWN_PRODUCERS: Readonly<Record<string, Producer>> = {
  ...CONFLICTS,
  'updateEnquiry person_not_found': withBody('{"ownerId": 999999}'),
  'addPhoto invalid_body': withoutFile,
  'setShopLogo invalid_body': withoutFile,
  'startImport invalid_body': withoutFile,
};
