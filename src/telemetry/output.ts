import { write, writeSync } from 'node:fs';
import { SECOND_MS } from '../domain/clock.ts';

const STANDARD_OUTPUT = 1;
/** Characters that are collected before they are encoded as bytes. */
const BATCH_CHARACTERS = 16_384;
/** Bytes that start a write, so that not every line costs a system call. */
const WRITE_BYTES = 65_536;
const WRITE_BYTES_MAX = 2 * WRITE_BYTES;
/** Bytes that may wait while nobody reads the output. More are dropped. */
const WAITING_BYTES_MAX = 64 * 1_048_576;
/** The pause before a full pipe is tried again. */
const RETRY_MS = 100;
/** The longest wait for a blocked output at the end of the process. */
const END_MS = SECOND_MS;

/** A destination that collects lines until `flush`. */
export type Output = Pick<StandardOutput, 'write' | 'flush' | 'end' | 'abandon'>;

/**
 * Standard output. It never blocks its caller: while a pipe or a disk is full, bytes wait in bounded memory. The last
 * lines are written however the process ends, unless it is killed.
 */
export class StandardOutput {
  readonly #onDrop: (lines: number) => void;
  readonly #waiting = new Queue();
  #lines = '';
  #isWriting = false;
  #isFlushing = false;
  #isAbandoned = false;
  #onIdle = () => {};

  /** `onDrop` gets the number of lines that are lost. */
  constructor(onDrop: (lines: number) => void) {
    this.#onDrop = onDrop;
    // Once: if nothing can be written, each attempt would cause the next event.
    process.once('beforeExit', () => this.flush());
    process.on('exit', () => {
      this.#handOn();
      // A write under way may never return, and the queued bytes must not overtake it.
      if (!this.#isWriting && !this.#isAbandoned) writeAtOnce(this.#waiting);
    });
  }

  /** Writes whole lines. */
  write(lines: string): void {
    this.#lines += lines;
    if (this.#lines.length >= BATCH_CHARACTERS) this.#handOn();
  }

  /** Starts writing all lines. */
  flush(): void {
    this.#handOn();
    this.#isFlushing = true;
    this.#begin();
  }

  /** Writes the last lines, for at most a second. What is left then is lost. */
  async end(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const timer = setTimeout(resolve, END_MS);
    this.#onIdle = resolve;
    this.flush();
    await promise;
    clearTimeout(timer);
    this.#isAbandoned = true;
  }

  /** Stops writing. */
  abandon(): void {
    this.#isAbandoned = true;
  }

  #handOn(): void {
    if (this.#lines === '') return;
    const bytes = Buffer.from(this.#lines);
    this.#lines = '';
    if (this.#waiting.bytes + bytes.length <= WAITING_BYTES_MAX) this.#waiting.add(bytes);
    else this.#drop(bytes);
    if (this.#waiting.bytes >= WRITE_BYTES) this.#begin();
  }

  #drop(bytes: Buffer): void {
    this.#onDrop(bytes.toString().split('\n').length - 1);
  }

  #begin(): void {
    if (this.#isWriting || this.#isAbandoned) return;
    const bytes = this.#waiting.first();
    if (bytes === undefined) {
      this.#rest();
      return;
    }
    this.#isWriting = true;
    write(STANDARD_OUTPUT, bytes, 0, bytes.length, null, (error, written) => {
      this.#isWriting = false;
      if (error === null) this.#waiting.remove(written);
      this.#proceed(error?.code);
    });
  }

  #proceed(problem: string | undefined): void {
    if (problem === undefined) {
      if (this.#isFlushing || this.#waiting.bytes >= WRITE_BYTES) this.#begin();
    } else if (problem === 'EAGAIN') {
      setTimeout(() => this.#begin(), RETRY_MS);
    } else {
      // A full disk may have room at the next flush; a pipe without a reader never gets one.
      if (problem === 'EPIPE') for (const bytes of this.#waiting.clear()) this.#drop(bytes);
      this.#rest();
    }
  }

  #rest(): void {
    this.#isFlushing = false;
    this.#onIdle();
  }
}

/** Writes the queued bytes as the process exits, for at most a second. */
function writeAtOnce(waiting: Queue): void {
  const end = performance.now() + END_MS;
  while (performance.now() < end) {
    const bytes = waiting.first();
    if (bytes === undefined) return;
    try {
      waiting.remove(writeSync(STANDARD_OUTPUT, bytes));
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) return;
      Bun.sleepSync(RETRY_MS);
    }
  }
}

/** Bytes in the order in which they came. */
class Queue {
  #pieces: Buffer[] = [];
  bytes = 0;

  add(bytes: Buffer): void {
    this.#pieces.push(bytes);
    this.bytes += bytes.length;
  }

  /** The bytes to write next, in one piece up to the size of a write; undefined if the queue is empty. */
  first(): Buffer | undefined {
    let count = 0;
    let bytes = 0;
    for (const { length } of this.#pieces) {
      if (bytes + length > WRITE_BYTES_MAX) break;
      bytes += length;
      count++;
    }
    if (count > 1) this.#pieces.unshift(Buffer.concat(this.#pieces.splice(0, count), bytes));
    return this.#pieces[0];
  }

  /** Removes the first `count` bytes, which have been written. */
  remove(count: number): void {
    this.bytes -= count;
    const [first] = this.#pieces.splice(0, 1);
    if (first !== undefined && first.length > count) this.#pieces.unshift(first.subarray(count));
  }

  clear(): readonly Buffer[] {
    this.bytes = 0;
    return this.#pieces.splice(0);
  }
}
