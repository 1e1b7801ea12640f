import { describe, expect, test } from 'bun:test';
import { EXAMPLE_SERVERS } from '../../src/api/openapi/pages.ts';
import { renderDocument } from '../../src/api/openapi/renderings.ts';
import type { DocumentPart } from './schema-check.ts';

describe('the document for generators', () => {
  const text = renderDocument('json-3.0', EXAMPLE_SERVERS);
  const found: DocumentPart[] = [];
  JSON.parse(text, (_key, value) => {
    if (typeof value === 'object' && value !== null) found.push(value);
    return value;
  });

  test('has nothing that is right and yet stops a generator', () => {
    for (const part of found) {
      const { pattern, type, allOf, minItems, maxItems, content = {} } = Object(part);
      expect(typeof pattern === 'string' && typeof type === 'string').toBe(false);
      for (const one of allOf ?? []) expect(Object.keys(one)).toEqual(['$ref']);
      if (minItems !== undefined) expect(minItems).not.toBe(maxItems);
      expect(Object.keys(content).length).toBeLessThanOrEqual(1);
    }
    expect(JSON.parse(text).webhooks).toBeUndefined();
  });

  test('names words that are reserved in a language', () => {
    const named = found.flatMap((part) => {
      const { enum: words = [], 'x-enum-varnames': names = [] } = Object(part);
      return names.map((name: string, n: number) => [words[n], name]);
    });
    for (const pair of [
      ['name', 'NAME'],
      ['new', 'NEW'],
      ['return', 'RETURN'],
      ['true', 'TRUE'],
    ])
      expect(named).toContainEqual(pair);
  });
});
