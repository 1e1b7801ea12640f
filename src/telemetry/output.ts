import type { DestinationStream } from 'pino';
import { createDescriptorWriter, type DescriptorWriter } from './descriptor-writer.ts';

/** Characters that are collected before they are encoded as bytes. */
const BATCH_CHARACTERS = 16_384;
const STANDARD_OUTPUT = 1;

/** A destination that collects lines until `flush`. */
export interface Output extends DestinationStream, Pick<DescriptorWriter, 'end' | 'abandon'> {
  flush(): void;
  /** Writes whole lines that are encoded already. */
  writeBytes(bytes: Uint8Array): void;
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
    writeBytes(bytes) {
      handOn();
      writer.add(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
    },
    write(line) {
      lines += line;
      if (lines.length >= BATCH_CHARACTERS) handOn();
    },
  };
}

function linesIn(bytes: Buffer): number {
  return bytes.toString().split('\n').length - 1;
}
