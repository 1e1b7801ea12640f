import { dateText } from '../domain/profile.ts';
import { STAYS_MAX } from '../domain/stay.ts';
import type { ImportedStay } from '../domain/stay-types.ts';
import type { ReadRow } from './animal-reader.ts';
import type { StayColumns } from './recognise.ts';

/** Collects the stays of each external id, from a file with dates of them. */
export function createHistories(columns: StayColumns, now: () => number) {
  const hasDates = columns.intakeDate !== undefined || columns.outcomeDate !== undefined;
  const rows = new Map<string, { readonly order: string; readonly stay: ImportedStay }[]>();
  return {
    add(row: ReadRow): void {
      const { externalId, order } = row;
      if (!hasDates || externalId === undefined || row.stay === undefined) return;
      const own = rows.getOrInsertComputed(externalId, () => []);
      if (own.length < STAYS_MAX) own.push({ order, stay: stayOf(row, dateText(now())) });
    },
    /** Returns the stays in their order. Only the last one of an animal can be open. */
    of(row: ReadRow): readonly ImportedStay[] | undefined {
      if (!hasDates || row.stay === undefined) return undefined;
      const { externalId } = row;
      const own = externalId === undefined ? undefined : rows.get(externalId);
      if (own === undefined) return [stayOf(row, dateText(now()))];
      const sorted = own.toSorted((a, b) => (a.order < b.order ? -1 : Number(a.order > b.order)));
      const last = sorted.at(-1);
      return sorted
        .filter((one) => one === last || one.stay.outcomeDate !== null)
        .map(({ stay }) => stay);
    },
  };
}

function stayOf({ stay, left }: ReadRow, today: string): ImportedStay {
  const outcomeDate = left === undefined ? null : (stay?.outcomeDate ?? today);
  // What is not known of an intake is the day of the outcome, or of the import.
  const intakeDate = stay?.intakeDate ?? outcomeDate ?? today;
  const isRight = outcomeDate === null || outcomeDate >= intakeDate;
  return {
    intakeDate: isRight ? intakeDate : outcomeDate,
    intakeType: stay?.intakeType ?? null,
    outcomeDate,
    outcomeType: left === undefined ? null : (left.type ?? 'other'),
    note: null,
  };
}
