#!/usr/bin/env bun
import { DECODE_PHOTO, MAKE_BACKUP } from './child/own-program.ts';

// Whatever the program makes is for its own user alone, also what SQLite makes through a link.
process.umask(0o077);

// The decoder of photos and the maker of backups enter this file again: an executable has no other
// file to start them with. Each loads only what it needs.
if (process.argv[2] === DECODE_PHOTO) {
  const { decodePhoto } = await import('./photos/decode-child.ts');
  await decodePhoto();
} else if (process.argv[2] === MAKE_BACKUP) {
  const { answerOrder } = await import('./backups/make-child.ts');
  await answerOrder();
} else {
  const { run } = await import('./cli/run.ts');
  const code = await run(process.argv.slice(2));
  process.exitCode ||= code;
}
