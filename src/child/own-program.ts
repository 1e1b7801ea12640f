import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import { join } from 'node:path';

/** The argument with which the program decodes one photo and ends. */
export const DECODE_PHOTO = 'decode-photo';
/** The argument with which the program makes one backup, if one is due, and ends. */
export const MAKE_BACKUP = 'make-backup';

/** The path of files inside a compiled executable, which has no other file to start it with. */
const INSIDE = '/$bunfs/';

/** Requests come first. */
const NICENESS = 10;

/** Returns the command that starts this program once more, for one piece of work. */
export function ownCommand(work: string): readonly string[] {
  const entry = Bun.main.startsWith(INSIDE) ? [] : [join(import.meta.dir, '../main.ts')];
  return [process.execPath, ...entry, work];
}

/** Where memory or processor time is short, this process is the one to suffer. */
export function yieldToOthers(): void {
  for (const step of [
    () => setPriority(NICENESS),
    // Only Linux has the file.
    () => writeFileSync('/proc/self/oom_score_adj', '1000'),
  ]) {
    try {
      step();
    } catch {
      // The bounds on number and time remain.
    }
  }
}
