import { join } from 'node:path';

/** The argument with which the program decodes one photo and ends. */
export const DECODE_PHOTO = 'decode-photo';

/** The path of files inside a compiled executable, which has no other file to start it with. */
const INSIDE = '/$bunfs/';

/** Returns the command that decodes one photo in a process of its own, without loading the rest. */
export function decodeCommand(): readonly string[] {
  const entry = Bun.main.startsWith(INSIDE) ? [] : [join(import.meta.dir, '../main.ts')];
  return [process.execPath, ...entry, DECODE_PHOTO];
}
