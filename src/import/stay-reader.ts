import type { StayPart } from '../domain/import.ts';
import type { IntakeType, OutcomeType } from '../domain/stay.ts';
import type { ImportedStay } from '../domain/stay-types.ts';
import { createDateColumn, type DateColumn, isZeroDate } from './dates.ts';
import { isAdopter, lettersOf } from './headers.ts';
import { readOwnStays } from './own-stays.ts';
import type { StayColumns } from './recognise.ts';
import type { Row } from './row-source.ts';
import { intakeTypeOf, type Meaning, meaningOf } from './statuses.ts';
import { flagIn, saysUnknown } from './words.ts';

/** What a row says of one stay of an animal. Dates and types are undefined when they are not known. */
export interface ReadStay {
  readonly intakeDate: string | undefined;
  readonly intakeType: IntakeType | undefined;
  readonly outcomeDate: string | undefined;
  readonly outcomeType: OutcomeType | undefined;
  /** It left by a column other than that of the statuses, which says so whatever the statuses mean. */
  readonly surelyLeft: OutcomeType | undefined;
  /** The animal had left by the end of the stay. */
  readonly hasLeft: boolean;
  /** The word for an outcome that nobody knows. */
  readonly unknownOutcome: string | undefined;
  /** What a column says of an animal that is not to be had, whatever the reason is. */
  readonly notHere: string | undefined;
  /** It is an animal of a family that looks for it, and never was here. */
  readonly isLostOfFamily: boolean;
  /** Sorts the stays of an animal. */
  readonly order: string;
  /** What was not understood. */
  readonly unread: readonly (readonly [part: StayPart, text: string])[];
}

/** Reads rows as stays. */
export interface StayReader {
  /** Takes a row into account before any is read: the form of its dates shows in all of them. */
  add(row: Row): void;
  read(row: Row): ReadStay;
  /** Reads the stays of an animal in our own export: see `readOwnStays`. */
  ownStays(text: string, isSold: boolean): readonly ImportedStay[] | undefined;
}

const DATES = ['intakeDate', 'outcomeDate', 'deathDate', 'returnDate'] as const;

export function createStayReader(
  columns: StayColumns,
  now: () => number,
  orders: Set<RegExp>,
  statusColumn?: string,
): StayReader {
  const dates = new Map<string, DateColumn>(
    DATES.map((name) => [name, createDateColumn(now, columns[name], orders)]),
  );
  const textIn = (row: Row, name: Exclude<keyof StayColumns, 'flags'>) => {
    const column = columns[name];
    const text = column === undefined ? '' : row.text(column).trim();
    return saysUnknown(text) ? '' : text;
  };
  const dateIn = (row: Row, name: (typeof DATES)[number]) => {
    const text = textIn(row, name);
    return text === '' ? undefined : dates.get(name)?.read(text);
  };
  const isPast = (row: Row, name: (typeof DATES)[number]) => {
    const text = textIn(row, name);
    return text !== '' && dates.get(name)?.mayBePast(text) === true;
  };
  /** What is not sure stays unread. An outcome that nobody knows is asked for. */
  const unreadIn = (row: Row) =>
    (['intakeDate', 'intakeType', 'outcomeDate'] as const).flatMap((part) => {
      const text = textIn(row, part);
      const read = part === 'intakeType' ? intakeTypeOf(text) : dateIn(row, part);
      return text === '' || read !== undefined || isZeroDate(text) ? [] : [[part, text] as const];
    });
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
      const hasDied = isPast(row, 'deathDate');
      const movement = dateIn(row, 'outcomeDate');
      const flag = flagsOf(row, columns);
      const meaning = meaningOf(textIn(row, 'outcomeType'));
      const returned = returnIn(dateIn(row, 'returnDate'), movement, meaning);
      const word = returned === undefined ? textIn(row, 'outcomeType') : '';
      const isPresent = returned !== undefined || (meaning !== undefined && 'status' in meaning);
      const said =
        !isPresent && meaning !== undefined && 'left' in meaning ? meaning.left : undefined;
      const left = hasDied && said === undefined ? 'died' : (said ?? flag.left);
      // The day of a status is no day of an outcome.
      const outcomeDate = isPresent && !hasDied ? undefined : (deathDate ?? movement);
      // A day that cannot be told is one all the same.
      const hasDay = !isPresent && word === '' && isPast(row, 'outcomeDate');
      const ends = left !== undefined || (word !== '' && !isPresent) || hasDay;
      return {
        intakeDate: returned ?? intakeDate,
        intakeType: returned === undefined ? intakeTypeOf(textIn(row, 'intakeType')) : 'return',
        outcomeDate,
        outcomeType: left,
        surelyLeft: columns.outcomeType === statusColumn ? flag.left : left,
        hasLeft: ends,
        unknownOutcome: word !== '' && meaning === undefined ? word : undefined,
        notHere: flag.notHere,
        isLostOfFamily: /^lost$/i.test(textIn(row, 'recordType')),
        // Who came back and left again on one day is gone.
        order: orderOf(intakeDate, outcomeDate ?? returned, ends),
        unread: unreadIn(row),
      };
    },
  };
}

/** What happened last is the newest. Rows without dates are in the order of the file. */
export function orderOf(intake = '', last = '', hasLeft: boolean): string {
  return `${last > intake ? last : intake}/${intake}/${hasLeft && (intake || last) ? 1 : 0}`;
}

/** What columns of yes and no say of an animal. */
function flagsOf(row: Row, { flags = [] }: StayColumns) {
  const saying = (target: 'gone' | 'here', isYes: boolean) =>
    flags.find(({ target: of, name }) => {
      const text = row.text(name).trim();
      const isNamed = of === 'gone' && isAdopter(lettersOf(name)) && !saysUnknown(text);
      return of === target && (flagIn('', text) ?? (isNamed || undefined)) === isYes;
    });
  const gone = saying('gone', true);
  const isAdopted = gone !== undefined && isAdopter(lettersOf(gone.name));
  const meaning = isAdopted
    ? ({ left: 'adopted' } as const)
    : gone && meaningOf(gone.name.replace(/^is[\s_]*/i, ''));
  const notHere = saying('here', false);
  return {
    left: gone && (meaning && 'left' in meaning ? meaning.left : 'other'),
    notHere: notHere && `${notHere.name}: ${row.text(notHere.name)}`,
  };
}

/** The day on which an animal came back that had left. Other movements end by themselves. */
function returnIn(
  date: string | undefined,
  movement: string | undefined,
  meaning: Meaning | undefined,
): string | undefined {
  const hadLeft = meaning !== undefined && 'left' in meaning;
  return hadLeft && date !== undefined && date >= (movement ?? date) ? date : undefined;
}
