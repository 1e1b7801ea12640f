import type { Column, Columns, MappingTerms } from './columns.ts';
import { ImportFailure } from './failure.ts';
import type { RowSource } from './row-source.ts';

/** Proposes a name for animals of a file without names. */
function templateOf(source: RowSource, { externalId }: Columns): string {
  const [first = ''] = source.columns.keys();
  const id = source.columns.has(externalId.name) ? externalId.name : first;
  return `'Animal {${id.slice(0, 40)}}'`;
}

/**
 * Checks the columns of a source. Throws `ImportFailure` that lists all that is missing, with the columns to
 * choose from.
 */
export function checkColumns(source: RowSource, columns: Columns, terms: MappingTerms): void {
  const { template, profile, ...others } = columns;
  const all: readonly Column[] = [...Object.values(others), ...template, ...profile];
  const problems: string[] = [];
  const asked: string[] = [];
  for (const column of all) {
    const times = source.columns.get(column.name) ?? 0;
    if (times > 1) problems.push(`It has ${times} columns "${column.name}".`);
    if (times > 0 || !column.required) continue;
    if (column === columns.name && !column.given) {
      asked.push(
        `No column of names: ${column.term} with one of them. If there is none: ${terms('unnamed')} ${templateOf(source, columns)}.`,
      );
    } else if (column === columns.category && !column.given) {
      asked.push(
        `No column of categories: ${terms('category')} with one of them, or ${terms('categoryIs')} Dog for animals of one kind.`,
      );
    } else {
      const advice = column.given
        ? `, which ${column.term} names`
        : `; ${column.term} names another`;
      problems.push(`It has no column "${column.name}"${advice}.`);
    }
  }
  if (problems.length + asked.length === 0) return;
  const present = [...source.columns.keys()].map((name) => `"${name}"`).join(', ');
  throw new ImportFailure(
    `${source.name}: ${[...problems, ...asked].join(' ')} Its columns are ${present || 'none'}; nothing was imported.`,
  );
}
