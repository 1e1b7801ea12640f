import { write, writeSync } from 'node:fs';
import { SECOND_MS } from '../domain/clock.ts';

/** A write is begun when so many bytes wait: a line must not cost a system call. */
const WRITE_BYTES = 65_536;
const WRITE_BYTES_MAX = 2 * WRITE_BYTES;
/** Where nobody takes the output any more, bytes beyond these are dropped. */
const WAITING_BYTES_MAX = 64 * 1_048_576;
/** How soon a pipe that was full is tried again. */
const RETRY_MS = 100;
/** How long the end of the process may wait for an output that takes nothing. */
const END_MS = SECOND_MS;

/** Writes to a file descriptor, without waiting for it. */
export interface DescriptorWriter {
  /** Takes bytes to be written. */
  add(bytes: Buffer): void;
  /** Begins to write everything that waits. */
  flush(): void;
  /** Writes what waits. Comes back after a second at the latest; what waits then is lost. */
  end(): Promise<void>;
  /** Writes what waits before it comes back, as the process exits; for a second at the most. */
  endAtOnce(): void;
  /** Writes nothing more. */
  abandon(): void;
}

/**
 * Makes a writer that holds up nobody: while a pipe or a disk is full, bytes wait in memory that is
 * bounded. `onDrop` is told what is lost.
 */
export function createDescriptorWriter(
  descriptor: number,
  onDrop: (bytes: Buffer) => void,
): DescriptorWriter {
  const waiting = createQueue();
  let isWriting = false;
  let isFlushing = false;
  let isAbandoned = false;
  let onRest = () => {};

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
      // On a full disk there may be room at the next flush; a pipe without a reader stays so.
      if (problem === 'EPIPE') waiting.clear().forEach(onDrop);
      rest();
    }
  }

  function rest(): void {
    isFlushing = false;
    onRest();
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
      onRest = resolve;
      flush();
      await promise;
      clearTimeout(timer);
      isAbandoned = true;
    },
    endAtOnce() {
      // A write that is under way may never come back, and what waits must not go before it.
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
  /** What is to be written next; undefined where nothing waits. */
  first(): Buffer | undefined;
  /** Takes off so many of the first bytes, which have been written. */
  remove(count: number): void;
  clear(): readonly Buffer[];
}

function createQueue(): Queue {
  let pieces: Buffer[] = [];
  let total = 0;

  /** Joins the first pieces to one, as far as a write takes them. */
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
