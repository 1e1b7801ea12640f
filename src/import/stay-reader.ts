import type { IntakeType, OutcomeType } from '../domain/stay.ts';
import type { ImportedStay } from '../domain/stay-types.ts';
import { createDateColumn, type DateColumn } from './dates.ts';
import { readOwnStays } from './own-stays.ts';
import type { StayColumns } from './recognise.ts';
import type { Row } from './row-source.ts';
import { intakeTypeOf, meaningOf } from './statuses.ts';
import { saysUnknown } from './words.ts';

/** What a row says of one stay of an animal. Dates and types are undefined when they are not known. */
export interface ReadStay {
  readonly intakeDate: string | undefined;
  readonly intakeType: IntakeType | undefined;
  readonly outcomeDate: string | undefined;
  readonly outcomeType: OutcomeType | undefined;
  /** The animal had left by the end of the stay. */
  readonly hasLeft: boolean;
  /** The word for an outcome that nobody knows. */
  readonly unknownOutcome: string | undefined;
  /** It is an animal of a family that looks for it, and never was here. */
  readonly isLostOfFamily: boolean;
  /** Sorts the stays of an animal. */
  readonly order: string;
}

/** Reads rows as stays. */
export interface StayReader {
  /** Takes a row into account before any is read: the form of its dates shows in all of them. */
  add(row: Row): void;
  read(row: Row): ReadStay;
  /** Reads the stays of an animal in our own export: see `readOwnStays`. */
  ownStays(text: string, isSold: boolean): readonly ImportedStay[] | undefined;
}

const DATES = ['intakeDate', 'outcomeDate', 'deathDate'] as const;

export function createStayReader(
  columns: StayColumns,
  now: () => number,
  orders: Set<RegExp>,
): StayReader {
  const dates = new Map<string, DateColumn>(
    DATES.map((name) => [name, createDateColumn(now, columns[name], orders)]),
  );
  const textIn = (row: Row, name: keyof StayColumns) => {
    const column = columns[name];
    const text = column === undefined ? '' : row.text(column).trim();
    return saysUnknown(text) ? '' : text;
  };
  const dateIn = (row: Row, name: (typeof DATES)[number]) => {
    const text = textIn(row, name);
    return text === '' ? undefined : dates.get(name)?.read(text);
  };
  return {
    add(row) {
      for (const name of DATES) {
        const text = textIn(row, name);
        if (text !== '') dates.get(name)?.add(text);
      }
    },
    ownStays: (text, isSold) => readOwnStays(text, isSold, now()),
    read(row) {
      const intakeDate = dateIn(row, 'intakeDate');
      const deathDate = dateIn(row, 'deathDate');
      const word = textIn(row, 'outcomeType');
      const meaning = meaningOf(word);
      const isPresent = meaning !== undefined && 'status' in meaning;
      const said = meaning !== undefined && 'left' in meaning ? meaning.left : undefined;
      const left = said ?? (deathDate === undefined ? undefined : 'died');
      // The day of a status is no day of an outcome.
      const outcomeDate = isPresent ? undefined : (deathDate ?? dateIn(row, 'outcomeDate'));
      const hasDay = outcomeDate !== undefined && word === '';
      const ends = left !== undefined || (word !== '' && !isPresent) || hasDay;
      return {
        intakeDate,
        intakeType: intakeTypeOf(textIn(row, 'intakeType')),
        outcomeDate,
        outcomeType: left,
        hasLeft: ends,
        unknownOutcome: word !== '' && meaning === undefined ? word : undefined,
        isLostOfFamily: /^lost$/i.test(textIn(row, 'recordType')),
        order: orderOf(intakeDate, outcomeDate, ends),
      };
    },
  };
}

/** Of the rows with one intake, the last outcome is the newest. Rows without dates are in the order of the file. */
function orderOf(intake = '', outcome: string | undefined, hasLeft: boolean): string {
  const isEnd = outcome !== undefined || (hasLeft && intake !== '');
  return `${intake}/${isEnd ? `1${outcome ?? ''}` : '0'}`;
}
