import { describe } from 'bun:test';
import { chosenEngine, type TestEngine } from '../../support/engines.ts';

/** Describes a part of the contract that the storage of every engine fulfils. */
export function describeContract(describePart: (engine: TestEngine) => void): void {
  describe.each([chosenEngine()])('$name fulfils the storage contract:', describePart);
}
