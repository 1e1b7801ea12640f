import type { Destination } from '../telemetry/log.ts';

/** Characters that are collected before they are sent. */
const BATCH_CHARACTERS = 16_384;

/** Creates an output that collects whole lines and sends them together. */
export function createLineOutput(send: (lines: string) => void): Destination {
  let lines = '';

  function flush(): void {
    if (lines !== '') send(lines);
    lines = '';
  }

  return {
    flush,
    write(line) {
      lines += line;
      if (lines.length >= BATCH_CHARACTERS) flush();
    },
    async end() {
      flush();
    },
  };
}
