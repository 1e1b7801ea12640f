import { CommandFailure } from '../explain.ts';
import type { NameTemplate } from './name-template.ts';
import type { Row, RowSource } from './row-source.ts';
import type { StatusMap } from './status-map.ts';

/** How the rows of a file become animals, as the flags of the command say it. */
export interface ImportMapping {
  readonly name?: string;
  readonly category?: string;
  readonly categoryId?: string;
  readonly status?: string;
  readonly statusMap?: StatusMap;
  readonly externalId?: string;
  readonly unnamed?: NameTemplate;
  readonly repairEncoding?: boolean;
}

/** A column that an animal is read from. */
export interface Column {
  readonly name: string;
  /** The flag that names it. */
  readonly flag: string;
  /** Whether a flag named it. Then its values are trimmed; those of our own export are not. */
  readonly given: boolean;
  /** Whether a file without it is refused. */
  readonly required: boolean;
}

/** The columns that an import reads. */
export interface Columns {
  readonly name: Column;
  readonly category: Column;
  readonly status: Column;
  readonly externalId: Column;
  /** Those of the template for names. */
  readonly template: readonly Column[];
}

/** The text of a row in a column. */
export function textIn(row: Row, { name, given }: Column): string {
  const text = row.cell(name);
  return given ? text.trim() : text;
}

/** Where no flag names a column, it is the one that our own export writes. */
export function columnsOf(mapping: ImportMapping): Columns {
  const { statusMap, unnamed } = mapping;
  const column = (flag: string, given: string | undefined, own: string, required: boolean) => ({
    name: given ?? own,
    flag,
    given: given !== undefined,
    required: required || given !== undefined,
  });
  return {
    name: column('--name', mapping.name, 'name', true),
    category:
      mapping.category === undefined
        ? column('--category-id', mapping.categoryId, 'categoryId', true)
        : column('--category', mapping.category, '', true),
    status: column('--status', mapping.status, 'status', statusMap !== undefined),
    externalId: column('--external-id', mapping.externalId, 'external_id', false),
    template: (unnamed?.columns ?? []).map((name) => column('--unnamed', name, '', true)),
  };
}

/**
 * Checks that a source, read to its end, has the columns. Throws `CommandFailure` that names all
 * it lacks, and those that its header has twice.
 */
export function checkColumns(source: RowSource, columns: Columns): void {
  const { template, ...others } = columns;
  const all: readonly Column[] = [...Object.values(others), ...template];
  const problems: string[] = [];
  for (const { name, flag, given, required } of all) {
    const times = source.columns.get(name) ?? 0;
    if (times > 1) problems.push(`has ${times} columns "${name}"`);
    if (times > 0 || !required) continue;
    const advice = given ? `, which ${flag} names` : `; ${flag} can name another one`;
    problems.push(`has no column "${name}"${advice}`);
  }
  if (problems.length === 0) return;
  const present = [...source.columns.keys()].map((name) => `"${name}"`).join(', ');
  throw new CommandFailure(
    `${source.name} ${problems.join('; it ')}. Its columns are ${present || 'none'}; ` +
      'nothing was imported.',
  );
}
