import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { postgres } from '../support/postgres-engine.ts';
import { animal, newKey, openSubject } from './subject.ts';

// The first test may have to start a database server.
setDefaultTimeout(60_000);

const RESULT = { status: 201, body: '{}', headers: {} };

describe('one Idempotency-Key on two instances', () => {
  test('is in progress for the second while the first works, and replayed afterwards', async () => {
    await using subject = await openSubject(postgres);
    await using other = await subject.another();
    await subject.storage.keys.create(newKey());
    const request = {
      keyId: 1n,
      operation: 'createPet',
      key: 'the key',
      fingerprint: 'f'.repeat(64),
      at: CHANGE_STAMP.at,
    };
    const started = Promise.withResolvers<void>();
    const end = Promise.withResolvers<void>();
    const first = subject.storage.idempotency.once(request, async ({ pets }) => {
      await pets.create(animal(), CHANGE_STAMP);
      started.resolve();
      await end.promise;
      return RESULT;
    });
    await started.promise;
    const never = () => {
      throw new Error('the work ran twice');
    };
    const second = async () => await other.storage.idempotency.once(request, never);
    await expect(second()).rejects.toMatchObject({ code: 'idempotency_in_progress' });
    end.resolve();
    expect(await first).toEqual({ result: RESULT, replayed: false });
    expect(await second()).toEqual({ result: RESULT, replayed: true });
    expect(await other.storage.pets.count()).toBe(1);
  });
});
