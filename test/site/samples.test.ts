import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import { join } from 'node:path';
import { examplesIn } from '../docs/examples.ts';
import { startGuideRun } from '../docs/guide-run.ts';
import { type GuideShop, startGuideShop } from '../docs/guide-shop.ts';

// The browser script has no types, so it is imported as a module of unknown functions.
const { documentForPage } = await import(
  join(import.meta.dir, '../../src/site/reference/document.js')
);

let database: GuideShop;
let document: { paths: Record<string, Record<string, Record<string, unknown>>> };
beforeAll(async () => {
  database = await startGuideShop();
  document = documentForPage(await (await fetch(`${database.url}/openapi.json`)).json());
});
afterAll(() => database?.[Symbol.asyncDispose]());

/** The samples of an operation by label. */
function samplesOf(method: string, path: string): ReadonlyMap<string, string> {
  const samples = document.paths[path]?.[method]?.['x-codeSamples'];
  if (!Array.isArray(samples)) throw new Error(`There is no ${method} ${path}`);
  return new Map(samples.map(({ label, source }) => [label, source]));
}

describe('the samples of the reference page', () => {
  test('are for curl and TypeScript, in this order, for every operation', () => {
    for (const [path, item] of Object.entries(document.paths)) {
      for (const [method, { operationId }] of Object.entries(item)) {
        if (operationId === undefined) continue;
        expect([...samplesOf(method, path).keys()]).toEqual(['curl', 'TypeScript']);
      }
    }
  });

  test('show a filter, an id in the path, and a body', () => {
    expect(samplesOf('get', '/pets').get('curl')).toContain(
      `"${database.url}/v1/pets?status=available"`,
    );
    const change = samplesOf('patch', '/pets/{petId}');
    expect(change.get('curl')).toContain(`-X PATCH "${database.url}/v1/pets/9"`);
    expect(change.get('TypeScript')).toContain(`'Content-Type': 'application/merge-patch+json'`);
  });

  // In this order each works on the sample animals; the first three change nothing.
  const working = [
    ['get', '/pets'],
    ['get', '/categories'],
    ['get', '/usage'],
    ['post', '/pets'],
    ['patch', '/pets/{petId}'],
    ['delete', '/pets/{petId}'],
  ] as const;
  test('work unchanged', async () => {
    const { execute } = startGuideRun(database);
    for (const [method, path] of working) {
      const samples = samplesOf(method, path);
      const curl = samples.get('curl') ?? '';
      const typeScript = samples.get('TypeScript') ?? '';
      // The animal can be removed only once.
      const again = method === 'delete' ? [] : [`\`\`\`ts\n${typeScript}\n\`\`\``];
      for (const example of examplesIn([`\`\`\`sh\n${curl}\n\`\`\``, ...again].join('\n\n'))) {
        await execute(example);
      }
    }
  }, 60_000);
});
