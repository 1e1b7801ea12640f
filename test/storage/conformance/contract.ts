import { describe } from 'bun:test';
import { engines, type TestEngine } from '../../support/engines.ts';

/** Describes a part of the contract that the storage of every engine fulfils. */
export function describeContract(describePart: (engine: TestEngine) => void): void {
  describe.each([...engines])('$name fulfils the storage contract:', describePart);
}
