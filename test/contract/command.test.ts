import { expect, test } from 'bun:test';
import { EXAMPLE_SERVERS } from '../../src/api/openapi/pages.ts';
import { renderDocument } from '../../src/api/openapi/renderings.ts';
import { runPetstore } from '../support/command-line.ts';

test('petstore openapi prints the document, for the addresses that are set', async () => {
  const printed = await runPetstore(['openapi']);
  expect(printed).toEqual({
    exitCode: 0,
    stdout: renderDocument('json', EXAMPLE_SERVERS, true),
    stderr: '',
  });
  const settings = { PETSTORE_BASE_URL: 'https://pets.example/v1' };
  const staging = ['--staging-base-url', 'https://try.pets.example/v1'];
  expect((await runPetstore(['openapi', '--yaml', ...staging], settings)).stdout).toBe(
    renderDocument('yaml', {
      productionUrl: 'https://pets.example/v1',
      stagingUrl: 'https://try.pets.example/v1',
    }),
  );
});
