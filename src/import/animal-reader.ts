import { int64FromText } from '../domain/int64.ts';
import { CATEGORY_NAME_MAX, foldCase, nameProblem, PET_NAME_MAX } from '../domain/name.ts';
import { type ImportedPet, isPetStatus, PET_STATUSES, type PetStatus } from '../domain/pet.ts';
import type { ImportedOutcome } from '../domain/stay-types.ts';
import {
  type Column,
  type Columns,
  type ImportMapping,
  type MappingTerms,
  textIn,
} from './columns.ts';
import { repairDoubleEncoding } from './double-encoding.ts';
import { isOutcome, parseCategoryMap, statusOf } from './mapping.ts';
import { NamelessRow, Rejection, type Row, UnknownStatus } from './row-source.ts';
import { meaningOf } from './statuses.ts';
import { orderOf, type ReadStay, type StayReader } from './stay-reader.ts';
import { saysUnknown } from './words.ts';

/**
 * Cells are cut here before they become a part of a name or a message: a longer one is refused anyway,
 * and a thousand copies of a cell of 1 MiB would fill the memory.
 */
const CELL_CHARACTERS_MAX = 8 * PET_NAME_MAX;

const start = (cell: string) => cell.slice(0, CELL_CHARACTERS_MAX);

const NAMELESS = 'the row has no name';

/** How an animal left; undefined for what the file does not say. */
export type Departure = {
  readonly [Name in keyof ImportedOutcome]: ImportedOutcome[Name] | undefined;
};

/** What a row says. */
export interface ReadRow {
  readonly externalId: string | undefined;
  /** Undefined if the row is left out, or only says that its animal left. */
  readonly animal: ImportedPet | undefined;
  /** Why there is no animal in a row that says that it left: it may have no name. */
  readonly problem?: Rejection;
  /** What the file has of this stay; undefined if it has no dates. */
  readonly stay?: ReadStay | undefined;
  /** The animal had left when the file was written. */
  readonly left: Departure | undefined;
  /** Sorts the rows of one animal by their dates. */
  readonly order: string;
}

/** Reads an animal from a row. Throws `Rejection`. */
export type AnimalReader = (row: Row) => ReadRow;

/** What the status of a row and its stay say together. */
type Standing = { readonly status: PetStatus | 'skip'; readonly left: Departure | undefined };

export function createAnimalReader(
  mapping: ImportMapping,
  columns: Columns,
  terms: MappingTerms,
  stays: StayReader,
): AnimalReader {
  const repair = mapping.repairEncoding ? repairDoubleEncoding : (text: string) => text;
  const categories = parseCategoryMap(mapping.categoryMap);

  /** Repairs a name before trimming it: half of an `à` that was encoded twice looks like a blank. */
  function nameIn(row: Row, column: Column): string {
    const text = repair(row.cell(column.name));
    return column.given ? text.trim() : text;
  }

  function petName(row: Row): string {
    const written = nameIn(row, columns.name);
    // Staff mark the names that they gave with a star.
    const name = columns.name.given ? written.replace(/^\*\s*(?=\p{L})/u, '') : written;
    const isNone = name.trim() === '' || (columns.name.given && saysUnknown(name));
    if (!isNone) return checked('name', name, PET_NAME_MAX);
    if (mapping.unnamed === undefined) {
      // A byte-order mark is no white space, so an animal may be called that.
      if (!columns.name.given && nameProblem(written, PET_NAME_MAX) === undefined) return written;
      throw new NamelessRow(NAMELESS);
    }
    const filled = mapping.unnamed.fill((column) => repair(start(row.cell(column))).trim());
    if (filled.trim() === '') throw new Rejection(NAMELESS);
    return checked('name', filled, PET_NAME_MAX);
  }

  function categoryIn(row: Row): ImportedPet['category'] {
    if (mapping.categoryIs !== undefined) return { name: mapping.categoryIs };
    const isNamed = mapping.category !== undefined;
    const own = mapping.isOwn && mapping.categoryId === undefined ? row.text('category') : '';
    if (isNamed || own !== '') {
      const written = isNamed ? nameIn(row, columns.category) : own;
      const name = categories.get(foldCase(written.trim())) ?? written;
      return { name: checked('category', name, CATEGORY_NAME_MAX) };
    }
    const text = textIn(row, columns.category);
    const id = int64FromText(text);
    if (id !== undefined) return { id };
    throw new Rejection(`category id "${start(text)}" must be a 64-bit whole number`);
  }

  return (row) => {
    const stay = stays.read(row);
    if (stay.isLostOfFamily)
      return { externalId: undefined, animal: undefined, left: undefined, order: '' };
    const { status, left } = withId(row, stay.order, columns, () =>
      standingOf(textIn(row, columns.status), stay, mapping, terms),
    );
    // The status can say that it left, too.
    const isOnlyStatus = left !== undefined && !stay.hasLeft;
    const order = isOnlyStatus ? orderOf(stay.intakeDate, stay.outcomeDate, true) : stay.order;
    if (status === 'skip') {
      return { externalId: leftOutId(row, columns.externalId), animal: undefined, left, order };
    }
    const externalId = externalIdIn(row, columns.externalId);
    try {
      const animal = {
        ...{ name: petName(row), category: categoryIn(row), status, externalId },
        ...(mapping.isOwn && { stays: stays.ownStays(row.text('stays'), status === 'sold') }),
      };
      return { externalId, animal, left, order, stay };
    } catch (error) {
      // That an animal left counts whatever it was called.
      if (left === undefined || !(error instanceof Rejection)) throw error;
      return { externalId, animal: undefined, problem: error, left, order };
    }
  };
}

/** An outcome decides, wherever the file has one. Otherwise the status does. */
function standingOf(
  value: string,
  stay: ReadStay,
  { statusMap }: ImportMapping,
  terms: MappingTerms,
): Standing {
  const meaning = meaningOf(value);
  const word = meaning && 'left' in meaning ? meaning.left : undefined;
  const departure = { type: stay.outcomeType ?? word, date: stay.outcomeDate };
  if (statusMap !== undefined) {
    const status = statusOf(value, statusMap);
    if (status === undefined) {
      const known = `in ${terms('statusMap')}, where * matches the rest`;
      throw new UnknownStatus(`status "${start(value)}" must be ${known}`);
    }
    if (isOutcome(status)) return { status: 'sold', left: { ...departure, type: status } };
    if (stay.surelyLeft !== undefined && status !== 'skip') {
      return { status: 'sold', left: { ...departure, type: stay.surelyLeft } };
    }
    const hasLeft = status === 'skip' && departure.type !== undefined;
    return { status, left: hasLeft ? departure : undefined };
  }
  if (stay.hasLeft) {
    if (stay.unknownOutcome !== undefined) {
      throw new UnknownStatus(
        `outcome "${start(stay.unknownOutcome)}" is not known; say what it means with ` +
          `${terms('status')} and ${terms('statusMap')}`,
      );
    }
    return { status: 'sold', left: departure };
  }
  const plain = statusOf(value, undefined);
  const present =
    plain ?? (meaning !== undefined && 'status' in meaning ? meaning.status : undefined);
  if (plain === undefined && word !== undefined) return { status: 'sold', left: departure };
  if (stay.notHere !== undefined && present === 'available') {
    if (/^adoptable/i.test(stay.notHere)) return { status: 'pending', left: undefined };
    throw new UnknownStatus(
      `"${start(stay.notHere)}" does not say why; say what it means with ` +
        `${terms('status')} and ${terms('statusMap')}`,
    );
  }
  if (present !== undefined && isPetStatus(present)) return { status: present, left: undefined };
  throw new UnknownStatus(
    `status "${start(value)}" must be one of ${PET_STATUSES.join(', ')}, or be mapped to one with ${terms('statusMap')}`,
  );
}

/** A row whose status nobody knows still is the newest of its animal. */
function withId<T>(row: Row, order: string, columns: Columns, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof UnknownStatus) {
      error.of = { externalId: leftOutId(row, columns.externalId), order };
    }
    throw error;
  }
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
export function readAnimal(row: Row, read: AnimalReader): ReadRow | Rejection {
  try {
    return read(row);
  } catch (error) {
    if (error instanceof Rejection) return error;
    throw error;
  }
}
