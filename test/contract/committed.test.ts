import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { EXAMPLE_SERVERS } from '../../src/api/openapi/pages.ts';
import { renderDocument } from '../../src/api/openapi/renderings.ts';

test('openapi.json is what the service serves; if not, run `npm run openapi` and look at its diff', async () => {
  const committed = await Bun.file(join(import.meta.dir, '../../openapi.json')).text();
  // Compared as one value, since the diff of two long texts would hide what to do.
  expect(committed === renderDocument('json', EXAMPLE_SERVERS, true)).toBe(true);
});
