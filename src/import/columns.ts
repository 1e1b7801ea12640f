import { PROFILE_PARTS, type RequestedMapping, STAY_PARTS } from '../domain/import.ts';
import type { NameTemplate, StatusMap } from './mapping.ts';
import type { Row } from './row-source.ts';

/** Returns what the user calls a part of a mapping, for messages. */
export type MappingTerms = (part: keyof RequestedMapping) => string;

/** How rows become animals. */
export interface ImportMapping extends Omit<RequestedMapping, 'statusMap' | 'unnamed'> {
  readonly statusMap?: StatusMap | undefined;
  readonly unnamed?: NameTemplate | undefined;
  readonly repairEncoding?: boolean | undefined;
  /** Publishes the animals. Otherwise the file neither publishes nor unpublishes any. */
  readonly publish?: boolean | undefined;
  /** Reads profiles from the named columns alone. */
  readonly onlyNamed?: boolean | undefined;
  /** The file is an export of our own: it has category names and stays in columns of these names. */
  readonly isOwn?: boolean | undefined;
  /** Adds animals too that had left before they ever came here. */
  readonly withHistory?: boolean | undefined;
}

/** A column that an animal is read from. */
export interface Column {
  readonly name: string;
  /** The part of the mapping that can name it, as the user calls it. */
  readonly term: string;
  /** The mapping names it, so its values are trimmed. Those of our own export are taken exactly. */
  readonly given: boolean;
  /** A file without it is refused. */
  readonly required: boolean;
}

export interface Columns {
  readonly name: Column;
  readonly category: Column;
  readonly status: Column;
  readonly externalId: Column;
  /** Those in the template for missing names. */
  readonly template: readonly Column[];
  /** Those that the mapping names for profiles and stays. */
  readonly profile: readonly Column[];
}

export function textIn(row: Row, { name, given }: Column): string {
  const text = row.cell(name);
  return given ? text.trim() : text;
}

/** Columns that the mapping does not name are those of our own export. */
export function columnsOf(mapping: ImportMapping, terms: MappingTerms): Columns {
  const { statusMap, unnamed } = mapping;
  const column = (term: string, given: string | undefined, own: string, required: boolean) => ({
    name: given ?? own,
    term,
    given: given !== undefined,
    required: required || given !== undefined,
  });
  return {
    // Where a file has no names, the template makes them all.
    name: column(terms('name'), mapping.name, 'name', unnamed === undefined),
    category:
      mapping.category === undefined
        ? column(terms('categoryId'), mapping.categoryId, 'categoryId', !mapping.categoryIs)
        : column(terms('category'), mapping.category, '', true),
    status: column(terms('status'), mapping.status, 'status', statusMap !== undefined),
    externalId: column(terms('externalId'), mapping.externalId, 'external_id', false),
    template: (unnamed?.columns ?? []).map((name) => column(terms('unnamed'), name, '', true)),
    profile: [...PROFILE_PARTS, ...STAY_PARTS].flatMap((part) =>
      mapping[part] === undefined ? [] : column(terms(part), mapping[part], '', true),
    ),
  };
}
