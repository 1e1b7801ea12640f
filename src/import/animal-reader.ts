import { int64FromText } from '../domain/int64.ts';
import { CATEGORY_NAME_MAX, nameProblem, PET_NAME_MAX } from '../domain/name.ts';
import { type ImportedPet, PET_STATUSES } from '../domain/pet.ts';
import {
  type Column,
  type Columns,
  type ImportMapping,
  type MappingTerms,
  textIn,
} from './columns.ts';
import { repairDoubleEncoding } from './double-encoding.ts';
import { type StatusChoice, statusOf } from './mapping.ts';
import { NamelessRow, Rejection, type Row } from './row-source.ts';

/**
 * Cells are cut here before they become a part of a name or a message: a longer one is refused anyway,
 * and a thousand copies of a cell of 1 MiB would fill the memory.
 */
const CELL_CHARACTERS_MAX = 8 * PET_NAME_MAX;

const start = (cell: string) => cell.slice(0, CELL_CHARACTERS_MAX);

const NAMELESS = 'the row has no name';

/** A row that the status map leaves out. */
interface LeftOutRow {
  readonly status: 'skip';
  readonly externalId: string | undefined;
}

/** Reads an animal from a row. Throws `Rejection`. */
export type AnimalReader = (row: Row) => ImportedPet | LeftOutRow;

export function createAnimalReader(
  mapping: ImportMapping,
  columns: Columns,
  terms: MappingTerms,
): AnimalReader {
  const repair = mapping.repairEncoding ? repairDoubleEncoding : (text: string) => text;

  /** Repairs a name before trimming it: half of an `à` that was encoded twice looks like a blank. */
  function nameIn(row: Row, column: Column): string {
    const text = repair(row.cell(column.name));
    return column.given ? text.trim() : text;
  }

  function petName(row: Row): string {
    const written = nameIn(row, columns.name);
    if (written.trim() !== '') return checked('name', written, PET_NAME_MAX);
    if (mapping.unnamed === undefined) {
      // A byte-order mark is no white space, so an animal may be called that.
      if (nameProblem(written, PET_NAME_MAX) === undefined) return written;
      throw new NamelessRow(NAMELESS);
    }
    const name = mapping.unnamed.fill((column) => repair(start(row.cell(column))).trim());
    if (name.trim() === '') throw new Rejection(NAMELESS);
    return checked('name', name, PET_NAME_MAX);
  }

  function categoryIn(row: Row): ImportedPet['category'] {
    if (mapping.category !== undefined) {
      return { name: checked('category', nameIn(row, columns.category), CATEGORY_NAME_MAX) };
    }
    const text = textIn(row, columns.category);
    const id = int64FromText(text);
    if (id !== undefined) return { id };
    throw new Rejection(`category id "${start(text)}" must be a 64-bit whole number`);
  }

  return (row) => {
    const status = statusIn(row, columns.status, mapping.statusMap, terms);
    if (status === 'skip') return { status, externalId: leftOutId(row, columns.externalId) };
    return {
      name: petName(row),
      category: categoryIn(row),
      status,
      externalId: externalIdIn(row, columns.externalId),
    };
  };
}

function statusIn(
  row: Row,
  column: Column,
  map: ImportMapping['statusMap'],
  terms: MappingTerms,
): StatusChoice {
  const value = textIn(row, column);
  const status = statusOf(value, map);
  if (status !== undefined) return status;
  const known =
    map === undefined
      ? `one of ${PET_STATUSES.join(', ')}, or be mapped to one with ${terms('statusMap')}`
      : `in ${terms('statusMap')}, where * matches the rest`;
  throw new Rejection(`status "${start(value)}" must be ${known}`);
}

function externalIdIn(row: Row, column: Column): string | undefined {
  const id = textIn(row, column);
  if (id === '' && !column.given) return undefined;
  return checked('external id', id, PET_NAME_MAX);
}

/** Nothing but its status can reject a row that is left out. */
function leftOutId(row: Row, column: Column): string | undefined {
  try {
    return externalIdIn(row, column);
  } catch (error) {
    if (error instanceof Rejection) return undefined;
    throw error;
  }
}

function checked(what: string, text: string, max: number): string {
  const problem = nameProblem(text, max);
  if (problem !== undefined) throw new Rejection(`${what} ${problem}`);
  return text;
}

/** Reads the animal of a row, and returns the reason for a row that has none. */
export function readAnimal(row: Row, read: AnimalReader): ImportedPet | LeftOutRow | Rejection {
  try {
    return read(row);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}
