import { expect, test } from 'bun:test';
import { createAdmission } from '../../../src/api/pipeline/admission.ts';
import { createExecute, type ExecuteParts } from '../../../src/api/pipeline/execute.ts';
import type { AdmittedRequest } from '../../../src/api/pipeline/request-context.ts';
import { operations } from '../../../src/api/resources/operations.ts';
import type { Caller } from '../../../src/domain/api-key.ts';
import { createAwaitedBodies } from '../../../src/http/awaited-bodies.ts';

const ADMIN: Caller = {
  keyId: 7n,
  familyId: 7n,
  name: 'a test',
  scopes: ['admin'],
  unbannedAt: null,
  plan: { name: 'business', perMinute: 1_000, perDay: 100_000 },
  expiresAt: null,
};

/** Starts to execute an operation for an admin, who is somebody else once `url` is looked up. */
function executing(operationId: string, method: string, path: readonly string[]) {
  const lookup = Promise.withResolvers<undefined>();
  const asked = Promise.withResolvers<void>();
  const written: Caller[] = [];
  let now: Caller = ADMIN;
  const operation = operations.find(({ id }) => id === operationId);
  const problemOf = () => {
    asked.resolve();
    return lookup.promise;
  };
  // Only what these operations use.
  const parts = {
    services: { webhooks: { problemOf } },
    bodies: createAwaitedBodies({ timeoutMs: 10_000 }),
    executeWrite: (_: unknown, { caller }: { caller: Caller }) => {
      written.push(caller);
      return { status: 200, body: '', headers: {} };
    },
    keepOpen() {},
  } as unknown as ExecuteParts;
  const rechecks = createAdmission({
    load: { refuses: () => false, refusesWithBody: () => false },
    fence: { isFenced: () => false, obstacle: () => undefined },
    identify: async () => now,
  });
  const request = new Request('http://x/v1/webhooks', {
    method,
    headers: { 'content-type': 'application/json' },
    body: '{"url":"https://slow.example/"}',
  });
  const target = { parameters: path, query: '', route: {}, problem: undefined };
  const context = {
    request,
    method,
    operation,
    target,
    caller: ADMIN,
    identity: ADMIN,
    decidedAt: 0,
    decision: { quota: {} },
  } as unknown as AdmittedRequest;
  return {
    response: Promise.resolve(createExecute(parts, rechecks)(context)),
    asked: asked.promise,
    written,
    become(caller: Caller) {
      now = caller;
      lookup.resolve(undefined);
    },
  };
}

test.each([
  ['createWebhook', 'POST', []],
  ['updateWebhook', 'PATCH', ['3']],
])(
  '%s is refused if the key lost its scope while the name was looked up',
  async (id, method, path) => {
    const demoted = executing(id, method, path);
    await demoted.asked;
    demoted.become({ ...ADMIN, scopes: ['write'] });
    expect(demoted.response).rejects.toMatchObject({ code: 'insufficient_scope' });
    await demoted.response.catch(() => {});
    expect(demoted.written).toEqual([]);

    const same = executing(id, method, path);
    await same.asked;
    same.become(ADMIN);
    expect((await same.response).status).toBe(200);
    expect(same.written).toEqual([ADMIN]);
  },
);
