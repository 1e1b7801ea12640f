import { describe } from 'bun:test';
import { engines } from '../engines.ts';
import { describeImport } from './import-conformance.ts';
import { describeKeys } from './key-conformance.ts';
import { describePets } from './pet-conformance.ts';

describe.each([...engines])('$name keeps the contract of the storage:', (engine) => {
  describePets(engine);
  describeImport(engine);
  describeKeys(engine);
});
