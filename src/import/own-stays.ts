import { linesProblem } from '../domain/name.ts';
import { dateText, isInFuture } from '../domain/profile.ts';
import { areApart, STAY_NOTE_MAX, STAYS_MAX } from '../domain/stay.ts';
import { type ImportedStay, INTAKE_TYPES, OUTCOME_TYPES } from '../domain/stay-types.ts';
import { Rejection } from './row-source.ts';

const DATE = /^\d{4}-\d{2}-\d{2}$/;

/**
 * Reads the stays of an animal in our own export. Undefined if there are none, or if somebody has changed the status
 * in the file since, so that they no longer fit it. Throws `Rejection` for anything else.
 */
export function readOwnStays(
  text: string,
  isSold: boolean,
  now: number,
): readonly ImportedStay[] | undefined {
  if (text.trim() === '') return undefined;
  const stays = parsed(text);
  const isRight =
    stays !== undefined &&
    stays.length <= STAYS_MAX &&
    stays.every((stay) => isStay(stay, now)) &&
    stays.every(({ outcomeDate }, n) => outcomeDate !== null || n === stays.length - 1) &&
    areApart(stays);
  if (!isRight)
    throw new Rejection('its stays cannot be read: leave them as the export wrote them');
  const last = stays.at(-1);
  return last !== undefined && (last.outcomeDate !== null) === isSold ? stays : undefined;
}

function parsed(text: string): readonly ImportedStay[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const isList = Array.isArray(value) && value.every((one) => typeof one === 'object' && one);
    // What they hold is checked next.
    return isList ? (value as ImportedStay[]) : undefined;
  } catch {
    return undefined;
  }
}

function isStay(
  stay: Partial<Readonly<Record<keyof ImportedStay, unknown>>>,
  now: number,
): boolean {
  const { intakeDate, intakeType, outcomeDate, outcomeType, note } = stay;
  const isDate = (date: unknown) =>
    typeof date === 'string' &&
    DATE.test(date) &&
    !Number.isNaN(Date.parse(date)) &&
    // A day that the month does not have becomes one of the next month.
    dateText(Date.parse(date)) === date &&
    !isInFuture(date, now);
  const isOneOf = (list: readonly string[], type: unknown) => list.some((one) => one === type);
  const hasEnded = isDate(outcomeDate) && isOneOf(OUTCOME_TYPES, outcomeType);
  const isOpen = outcomeDate === null && outcomeType === null;
  const isNote =
    note === null || (typeof note === 'string' && linesProblem(note, STAY_NOTE_MAX) === undefined);
  return (
    isDate(intakeDate) &&
    (intakeType === null || isOneOf(INTAKE_TYPES, intakeType)) &&
    (isOpen || (hasEnded && String(outcomeDate) >= String(intakeDate))) &&
    isNote
  );
}

/** Writes stays for our own export. */
export function staysText(stays: readonly ImportedStay[]): string {
  return JSON.stringify(
    stays.map(({ intakeDate, intakeType, outcomeDate, outcomeType, note }) => ({
      ...{ intakeDate, intakeType, outcomeDate, outcomeType, note },
    })),
  );
}
