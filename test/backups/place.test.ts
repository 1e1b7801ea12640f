import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { nameOf, timeOf } from '../../src/backups/place.ts';
import { ENVIRONMENTS } from '../../src/domain/deployment.ts';

test('the name of a backup says its deployment and its second', () => {
  fc.assert(
    fc.property(
      fc.constantFrom(...ENVIRONMENTS),
      fc.integer({ min: 0, max: Date.UTC(9999) }),
      (environment, at) => {
        const name = nameOf(environment, at);
        expect(timeOf(environment, name)).toBe(Math.floor(at / 1_000) * 1_000);
        for (const other of ENVIRONMENTS) {
          if (other !== environment) expect(timeOf(other, name)).toBeUndefined();
        }
      },
    ),
  );
});
