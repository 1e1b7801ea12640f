import type { DestinationStream } from 'pino';
import { createDescriptorWriter, type DescriptorWriter } from './descriptor-writer.ts';

/** Lines are gathered to so many characters before they become bytes. */
const GATHERED_CHARACTERS = 16_384;
const STANDARD_OUTPUT = 1;

/** A destination that gathers lines until it is told to write them. */
export interface Output extends DestinationStream, Pick<DescriptorWriter, 'end' | 'abandon'> {
  flush(): void;
}

/** Standard output. A process that ends by itself, exits or breaks down writes its last lines. */
export function openOutput(onDrop: (lines: number) => void): Output {
  let lines = '';
  const writer = createDescriptorWriter(STANDARD_OUTPUT, (bytes) => onDrop(linesIn(bytes)));
  // Once: where nothing can be written, the next attempt would bring the next such event.
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
      if (lines.length >= GATHERED_CHARACTERS) handOn();
    },
  };
}

function linesIn(bytes: Buffer): number {
  return bytes.toString().split('\n').length - 1;
}
