import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { failuresOf } from '../../src/api/openapi/failures.ts';
import { operations } from '../../src/api/resources/operations.ts';
import { FAILURE_STATUS } from '../../src/domain/failure.ts';
import { expectLimits } from '../api/pipeline/expect-limits.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import {
  type BrokenPetstore,
  breakPetstore,
  FAULTS,
  OWN_PRODUCERS,
  PRODUCERS,
} from './producers.ts';
import { sampleOf, sendSample } from './samples.ts';
import { document, member } from './violations.ts';

/*
 * Produces every response that the document lists for an operation, once. The test client checks
 * each response against the document, so these tests only check the status, and that
 * the limit headers agree with each other.
 */

let petstore: TestPetstore;

beforeAll(async () => {
  petstore = await startPetstore();
});
afterAll(() => petstore[Symbol.asyncDispose]());

describe.each(operations.map((operation) => [operation.id, operation] as const))(
  '%s',
  (id, operation) => {
    const { method, path, success } = operation;
    const isUnchanged = 'unchanged' in success && success.unchanged !== undefined;
    const inDocument = member(member(member(document, 'paths'), path), method.toLowerCase());
    const failures = [...failuresOf(operation).keys()];
    const ofRequests = failures.filter((code) => !(code in FAULTS));

    test('the document lists exactly the responses that this file produces', () => {
      const statuses = new Set<number>([
        ...(isUnchanged ? [200] : []),
        success.status,
        ...failures.map((code) => FAILURE_STATUS[code]),
      ]);
      if (method === 'GET') statuses.add(304);
      const listed = Object.keys(member(inDocument, 'responses') ?? {}).map(Number);
      expect(listed.sort()).toEqual([...statuses].sort());
    });

    test(`${success.status}`, async () => {
      const sample = await sampleOf(operation, petstore.admin);
      const response = await sendSample(petstore.admin, sample);
      expect(response.status).toBe(success.status);
      expectLimits(response, petstore.clock.now());
    });

    if (isUnchanged) {
      test('200, because it is there already', async () => {
        const sample = await sampleOf(operation, petstore.admin);
        const first = await sendSample(petstore.admin, sample);
        const again = await sendSample(petstore.admin, sample);
        expect([first.status, again.status]).toEqual([success.status, 200]);
        expect(again.text).toBe(first.text);
      });
    }

    if (method === 'GET') {
      test('304', async () => {
        const sample = await sampleOf(operation, petstore.admin);
        const headers = { 'if-none-match': '*' };
        const response = await sendSample(petstore.admin, sample, { headers });
        expect(response.status).toBe(304);
        expectLimits(response, petstore.clock.now());
      });
    }

    test.each(ofRequests.map((code) => [FAILURE_STATUS[code], code] as const))(
      '%i %s',
      async (status, code) => {
        const produce = OWN_PRODUCERS[`${id} ${code}`] ?? PRODUCERS[code];
        if (produce === undefined) throw new Error(`say in producers.ts how ${id} gets ${code}`);
        const response = await produce(petstore, operation);
        expect(response.status).toBe(status);
        expect(response.text).toContain(`"code":"${code}"`);
        // The sunset is reached by moving the clock, and then moving it back.
        expectLimits(response, code === 'operation_removed' ? undefined : petstore.clock.now());
      },
      60_000,
    );
  },
);

describe.each(['internal_error', 'service_unavailable'] as const)('after a fault, %s', (code) => {
  let broken: BrokenPetstore;
  beforeAll(async () => {
    broken = await breakPetstore(code);
  }, 60_000);
  afterAll(() => broken[Symbol.asyncDispose]());

  test.each(operations.map((operation) => [operation.id, operation] as const))(
    'of %s',
    async (_, operation) => {
      expect([...failuresOf(operation).keys()]).toContain(code);
      const response = await broken.send(operation);
      expect(response.status).toBe(FAILURE_STATUS[code]);
      expect(response.text).toContain(`"code":"${code}"`);
      expectLimits(response, petstore.clock.now());
    },
  );
});
