import { write, writeSync } from 'node:fs';
import { SECOND_MS } from '../domain/clock.ts';

/** Characters that are collected before they are encoded as bytes. */
const BATCH_CHARACTERS = 16_384;
const STANDARD_OUTPUT = 1;

/** A destination that collects lines until `flush`. */
export interface Output extends Pick<DescriptorWriter, 'end' | 'abandon'> {
  /** Writes whole lines. */
  write(lines: string): void;
  flush(): void;
}

/** Opens standard output. The last lines are written however the process ends, unless it is killed. */
export function openOutput(onDrop: (lines: number) => void): Output {
  let lines = '';
  const writer = createDescriptorWriter(STANDARD_OUTPUT, (bytes) => onDrop(linesIn(bytes)));
  // Once: if nothing can be written, each attempt would cause the next event.
  process.once('beforeExit', flush);
  process.on('exit', () => {
    handOn();
    writer.endAtOnce();
  });

  function handOn(): void {
    if (lines === '') return;
    writer.add(Buffer.from(lines));
    lines = '';
  }

  function flush(): void {
    handOn();
    writer.flush();
  }

  return {
    flush,
    end() {
      handOn();
      return writer.end();
    },
    abandon: writer.abandon,
    write(line) {
      lines += line;
      if (lines.length >= BATCH_CHARACTERS) handOn();
    },
  };
}

function linesIn(bytes: Buffer): number {
  return bytes.toString().split('\n').length - 1;
}

/** Bytes that start a write, so that not every line costs a system call. */
const WRITE_BYTES = 65_536;
const WRITE_BYTES_MAX = 2 * WRITE_BYTES;
/** Bytes that may wait while nobody reads the output. More are dropped. */
const WAITING_BYTES_MAX = 64 * 1_048_576;
/** The pause before a full pipe is tried again. */
const RETRY_MS = 100;
/** The longest wait for a blocked output at the end of the process. */
const END_MS = SECOND_MS;

/** Writes to a file descriptor, without waiting for it. */
interface DescriptorWriter {
  /** Queues bytes. */
  add(bytes: Buffer): void;
  /** Starts writing all queued bytes. */
  flush(): void;
  /** Writes the queued bytes, for at most a second. What is left then is lost. */
  end(): Promise<void>;
  /** Writes the queued bytes synchronously as the process exits, for at most a second. */
  endAtOnce(): void;
  /** Stops writing. */
  abandon(): void;
}

/**
 * Creates a writer that never blocks its caller: while a pipe or a disk is full, bytes wait in
 * bounded memory. `onDrop` gets the bytes that are lost.
 */
function createDescriptorWriter(
  descriptor: number,
  onDrop: (bytes: Buffer) => void,
): DescriptorWriter {
  const waiting = createQueue();
  let isWriting = false;
  let isFlushing = false;
  let isAbandoned = false;
  let onIdle = () => {};

  function begin(): void {
    if (isWriting || isAbandoned) return;
    const bytes = waiting.first();
    if (bytes === undefined) {
      rest();
      return;
    }
    isWriting = true;
    write(descriptor, bytes, 0, bytes.length, null, (error, written) => {
      isWriting = false;
      if (error === null) waiting.remove(written);
      proceed(error?.code);
    });
  }

  function proceed(problem: string | undefined): void {
    if (problem === undefined) {
      if (isFlushing || waiting.bytes() >= WRITE_BYTES) begin();
    } else if (problem === 'EAGAIN') {
      setTimeout(begin, RETRY_MS);
    } else {
      // A full disk may have room at the next flush; a pipe without a reader never gets one.
      if (problem === 'EPIPE') waiting.clear().forEach(onDrop);
      rest();
    }
  }

  function rest(): void {
    isFlushing = false;
    onIdle();
  }

  function flush(): void {
    isFlushing = true;
    begin();
  }

  return {
    flush,
    add(bytes) {
      const fits = waiting.bytes() + bytes.length <= WAITING_BYTES_MAX;
      if (fits) waiting.add(bytes);
      else onDrop(bytes);
      if (waiting.bytes() >= WRITE_BYTES) begin();
    },
    async end() {
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, END_MS);
      onIdle = resolve;
      flush();
      await promise;
      clearTimeout(timer);
      isAbandoned = true;
    },
    endAtOnce() {
      // A write under way may never return, and the queued bytes must not overtake it.
      if (!isWriting && !isAbandoned) writeAtOnce(descriptor, waiting);
    },
    abandon() {
      isAbandoned = true;
    },
  };
}

function writeAtOnce(descriptor: number, waiting: Queue): void {
  const end = performance.now() + END_MS;
  while (performance.now() < end) {
    const bytes = waiting.first();
    if (bytes === undefined) return;
    try {
      waiting.remove(writeSync(descriptor, bytes));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      Bun.sleepSync(RETRY_MS);
    }
  }
}

/** Bytes in the order in which they came. */
interface Queue {
  add(bytes: Buffer): void;
  bytes(): number;
  /** The bytes to write next, or undefined if the queue is empty. */
  first(): Buffer | undefined;
  /** Removes the first `count` bytes, which have been written. */
  remove(count: number): void;
  clear(): readonly Buffer[];
}

function createQueue(): Queue {
  let pieces: Buffer[] = [];
  let total = 0;

  /** Joins the first pieces into one, up to the size of a write. */
  function join(): void {
    let count = 0;
    let bytes = 0;
    while (count < pieces.length && bytes + (pieces[count]?.length ?? 0) <= WRITE_BYTES_MAX) {
      bytes += pieces[count]?.length ?? 0;
      count++;
    }
    if (count > 1) pieces.splice(0, count, Buffer.concat(pieces.slice(0, count), bytes));
  }

  return {
    bytes: () => total,
    add(bytes) {
      pieces.push(bytes);
      total += bytes.length;
    },
    first() {
      join();
      return pieces[0];
    },
    remove(count) {
      total -= count;
      const rest = pieces[0]?.subarray(count);
      if (rest === undefined || rest.length === 0) pieces.shift();
      else pieces[0] = rest;
    },
    clear() {
      const all = pieces;
      pieces = [];
      total = 0;
      return all;
    },
  };
}
