import type { DestinationStream } from 'pino';
import { loadPino } from './pino.ts';

/** Lines are gathered to so many characters, */
const GATHERED_CHARACTERS = 16_384;
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
 * handed on many at a time, and as bytes: a text would be looked through four more times.
 */
export function openOutput(onDrop: (lines: number) => void): Output {
  let lines = '';
  let stream: ByteStream | undefined;
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
    stream.write(Buffer.from(lines));
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

/** What of a stream of pino is used; its own types know of texts alone, whatever the mode. */
interface ByteStream {
  write(bytes: Buffer): boolean;
  flush(): void;
  flushSync(): void;
}

function openStream(onDrop: (lines: number) => void): ByteStream {
  const stream = loadPino().destination({
    fd: 1,
    sync: false,
    contentMode: 'buffer',
    minLength: WRITE_BYTES,
    maxWrite: 2 * WRITE_BYTES,
    maxLength: WAITING_BYTES_MAX,
  });
  stream.on('drop', (bytes: Buffer) => onDrop(bytes.toString().split('\n').length - 1));
  return stream as unknown as ByteStream;
}
