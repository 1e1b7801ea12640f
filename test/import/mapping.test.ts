import { describe, expect, test } from 'bun:test';
import { createAnimalReader } from '../../src/import/animal-reader.ts';
import { columnsOf, type ImportMapping } from '../../src/import/columns.ts';
import { parseNameTemplate } from '../../src/import/mapping.ts';
import { Rejection } from '../../src/import/row-source.ts';
import { createStayReader } from '../../src/import/stay-reader.ts';

const termOf = (part: string) => part;
const stays = createStayReader({}, () => 0, new Set());

/** Reads a row without a name, whose note is this long. */
function read(mapping: ImportMapping, length: number, status = '') {
  const cells: Record<string, string> = { categoryId: '1', status, note: 'x'.repeat(length) };
  const reader = createAnimalReader(mapping, columnsOf(mapping, termOf), termOf, stays);
  const cell = (column: string) => cells[column] ?? '';
  return reader({ line: 2, original: [], cell, text: cell });
}

describe('a template for missing names', () => {
  test('names at most 20 columns', () => {
    expect(parseNameTemplate('{a}'.repeat(20)).columns).toHaveLength(20);
    expect(() => parseNameTemplate('{a}'.repeat(21))).toThrow('at most 20 columns');
  });

  test('gets no more of a cell than a name can hold', () => {
    const lengths: number[] = [];
    const fill = (cell: (column: string) => string) => {
      lengths.push(cell('note').length);
      return 'Rex';
    };
    const mapping = { unnamed: { columns: ['note'], fill }, statusMap: new Map() };
    expect(() => read(mapping, 1_000_000)).toThrow(Rejection);
    read({ unnamed: { columns: ['note'], fill } }, 1_000_000, 'available');
    expect(lengths).toEqual([2_040]);
  });

  test('makes no name that is too long', () => {
    const mapping = { unnamed: parseNameTemplate('{note}'.repeat(20)) };
    expect(() => read(mapping, 1_000_000, 'available')).toThrow('255');
  });
});

test('the reason of a rejected row quotes no more than the start of a value', () => {
  try {
    read({}, 0, 'y'.repeat(1_000_000));
  } catch (error) {
    expect(error).toBeInstanceOf(Rejection);
    expect(String(error).length).toBeLessThan(3_000);
  }
  expect.assertions(2);
});
