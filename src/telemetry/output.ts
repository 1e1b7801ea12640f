import type { DestinationStream } from 'pino';
import { loadPino } from './pino.ts';

/** Lines are gathered to so many characters, */
const GATHERED_CHARACTERS = 32_768;
/**
 * and written when more bytes wait than those can have, or every second: a line must not cost a
 * system call.
 */
const WRITE_BYTES = 4 * GATHERED_CHARACTERS;
/** Where nobody takes the output any more, lines beyond so many bytes are dropped. */
const WAITING_BYTES_MAX = 64 * 1_048_576;

/** A destination that gathers lines until it is told to write them. */
export interface Output extends DestinationStream {
  flush(): void;
}

/**
 * Standard output, whose memory stays bounded even where what reads it has stopped. Lines are
 * handed on many at a time: the stream looks at each text's bytes twice, 1 µs for a line alone.
 */
export function openOutput(onDrop: (lines: number) => void): Output {
  let lines = '';
  let stream: ReturnType<typeof openStream> | undefined;
  // Before the stream adds its own listener, which ends it.
  process.on('beforeExit', handOn);
  process.on('exit', () => {
    if (lines === '') return;
    // What waits goes first; then the rest is too short to begin a write that nobody waits for.
    stream?.flushSync();
    handOn();
    stream?.flushSync();
  });

  function handOn(): void {
    if (lines === '') return;
    stream ??= openStream(onDrop);
    stream.write(lines);
    lines = '';
  }

  function flush(): void {
    handOn();
    stream?.flush();
  }

  return {
    flush,
    write(line) {
      lines += line;
      if (lines.length >= GATHERED_CHARACTERS) handOn();
    },
  };
}

function openStream(onDrop: (lines: number) => void) {
  const stream = loadPino().destination({
    fd: 1,
    sync: false,
    minLength: WRITE_BYTES,
    maxWrite: 2 * WRITE_BYTES,
    maxLength: WAITING_BYTES_MAX,
  });
  stream.on('drop', (text: string) => onDrop(text.split('\n').length - 1));
  return stream;
}
