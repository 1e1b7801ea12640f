import { describe, expect, test } from 'bun:test';
import { operations } from '../../../src/api/resources/operations.ts';
import type { Scope } from '../../../src/domain/api-key.ts';
import { sampleOf, sendSample } from '../../contract/samples.ts';
import { eventually } from '../../support/eventually.ts';
import { expectError } from '../../support/expect-error.ts';
import { forAllTests } from '../../support/lifetime.ts';
import { startPetstore, type TestPetstore } from '../../support/start.ts';

const petstore = forAllTests(() => startPetstore());

/** The scopes whose keys have each permission. */
const HOLDERS: Readonly<Record<string, readonly Scope[]>> = {
  read: ['read', 'adopt', 'write', 'admin'],
  adopt: ['adopt', 'write', 'admin'],
  write: ['write', 'admin'],
  webhooks: ['webhooks', 'admin'],
  admin: ['admin'],
};

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s',
  (id, operation) => {
    const { method, path, access, success } = operation;

    const changing = id === 'placeOrder' ? 'adopt' : 'write';
    const isAdmin =
      /^\/(?:keys|people|audit|channels|tasks)/.test(path) || /^(?:update|set)Shop/.test(id);
    // Rejected rows quote the file, which may hold what the shop does not publish.
    // What keeps an animal from the public, and what there is to do, is for staff.
    // How an animal came and left is private too.
    const isForStaff =
      /^\/(?:imports|enquiries|staff|animals|reports|alerts)|\/(?:listing|work|stays)$/.test(path);
    const reading = isForStaff ? 'write' : 'read';
    const isOfWebhooks = path.startsWith('/webhooks');
    const needed = isOfWebhooks
      ? 'webhooks'
      : isAdmin
        ? 'admin'
        : method === 'GET'
          ? reading
          : changing;
    test(`needs ${needed}`, () => {
      expect(access).toBe(needed);
    });

    const scopes: readonly (readonly Scope[])[] = [
      [],
      ['read'],
      ['adopt'],
      ['write'],
      ['admin'],
      ['read', 'write'],
      ['webhooks'],
      ['read', 'webhooks'],
    ];
    test.each(scopes.map((held) => [held.join() || 'no scope', held] as const))(
      'with a key of %s',
      async (__, held) => {
        const { client } = await petstore.keyWith({ scopes: held });
        const isAllowed = held.some((scope) => HOLDERS[access]?.includes(scope));
        // Without the scope admin, a key cancels only its own imports.
        const isOwn = id === 'cancelImport' && isAllowed;
        const sample = await sampleOf(operation, isOwn ? client : petstore.admin);
        const before = await everything(petstore);
        const response = await sendSample(client, sample);
        if (isAllowed && held.includes('webhooks') && path.includes('{webhookId}')) {
          // Those of others do not exist for it.
          expectError(response, 'webhook_not_found');
          return;
        }
        if (isAllowed) {
          expect(response.status).toBe(success.status);
          return;
        }
        expect(expectError(response, 'insufficient_scope')).toContain(access);
        const challenge = response.headers.get('www-authenticate');
        expect(challenge).toContain('error="insufficient_scope"');
        expect(await everything(petstore)).toEqual(before);
      },
    );
  },
);

/** Every record that a request could have changed. */
async function everything({ admin, storage }: TestPetstore): Promise<unknown[]> {
  // Imports go on after their response.
  await eventually(
    () => admin.get('/v1/imports?limit=100'),
    ({ text }) => !/"status":"(?:queued|reading|running)"/.test(text),
  );
  const paths = ['/v1/pets', '/v1/categories', '/v1/store/orders'];
  const lists = await Promise.all(paths.map((path) => admin.get(`${path}?limit=100`)));
  const keys = (await storage.keys.list()).map((key) => ({ ...key, lastUsedAt: null }));
  return [...lists.map(({ text }) => text), keys];
}
