import { isAdopter, lettersOf } from './headers.ts';
import type { StayColumns } from './recognise.ts';
import type { Row } from './row-source.ts';
import { type Meaning, meaningOf } from './statuses.ts';
import { flagIn, saysUnknown } from './words.ts';

/** What columns of yes and no say of an animal. */
export function flagsOf(row: Row, { flags = [] }: StayColumns) {
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
export function returnIn(
  date: string | undefined,
  movement: string | undefined,
  meaning: Meaning | undefined,
): string | undefined {
  const hadLeft = meaning !== undefined && 'left' in meaning;
  return hadLeft && date !== undefined && date >= (movement ?? date) ? date : undefined;
}
