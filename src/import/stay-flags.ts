import type { StayColumns } from './recognise.ts';
import type { Row } from './row-source.ts';
import { type Meaning, meaningOf } from './statuses.ts';
import { flagIn } from './words.ts';

/** What columns of yes and no say of an animal. */
export function flagsOf(row: Row, { flags = [] }: StayColumns) {
  const saying = (target: 'gone' | 'here', isYes: boolean) =>
    flags.find(
      (flag) => flag.target === target && flagIn('', row.text(flag.name).trim()) === isYes,
    );
  const gone = saying('gone', true);
  const meaning = gone && meaningOf(gone.name.replace(/^is[\s_]*/i, ''));
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
