import { expect, test } from 'bun:test';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { animal, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

describeContract((engine) => {
  test('the space that it takes grows with what is stored', async () => {
    await using subject = await openSubject(engine);
    const { storage } = subject;
    const before = await storage.space();
    expect(before.size).toBeGreaterThan(0);
    const adding = Array.from({ length: 1_000 }, () =>
      storage.pets.create(animal({ name: 'x'.repeat(255) }), CHANGE_STAMP),
    );
    await Promise.all(adding);
    const after = await storage.space();
    expect(after.size + (after.log ?? 0)).toBeGreaterThan(
      before.size + (before.log ?? 0) + 200_000,
    );
    // Only what is on this machine can be seen.
    const seen = engine.name === 'sqlite' ? expect.any(Number) : undefined;
    expect(after).toEqual({ size: expect.any(Number), log: seen, free: seen });
  });
});
