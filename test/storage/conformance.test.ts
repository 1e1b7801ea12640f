import { describe } from 'bun:test';
import { engines } from '../support/engines.ts';
import { describeAtOnce } from './at-once-conformance.ts';
import { describeCategories } from './category-conformance.ts';
import { describeChanges } from './change-conformance.ts';
import { describeIdempotency } from './idempotency-conformance.ts';
import { describeImport } from './import-conformance.ts';
import { describeKeys } from './key-conformance.ts';
import { describeNameSearch } from './name-search-conformance.ts';
import { describeOrders } from './order-conformance.ts';
import { describePets } from './pet-conformance.ts';
import { describeRepeatedImport } from './repeated-import-conformance.ts';
import { describeRotation } from './rotation-conformance.ts';
import { describeVersion } from './version-conformance.ts';

describe.each([...engines])('$name fulfils the storage contract:', (engine) => {
  describePets(engine);
  describeAtOnce(engine);
  describeNameSearch(engine);
  describe('changes of animals:', () => describeChanges(engine));
  describeImport(engine);
  describeRepeatedImport(engine);
  describeCategories(engine);
  describeOrders(engine);
  describeIdempotency(engine);
  describeKeys(engine);
  describeRotation(engine);
  describeVersion(engine);
});
