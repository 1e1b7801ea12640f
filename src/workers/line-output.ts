import type { Destination } from '../telemetry/log.ts';

/** Characters that are collected before they are sent: about as many as one write takes. */
const BATCH_CHARACTERS = 65_536;
const encoder = new TextEncoder();

/**
 * Creates an output that collects whole lines, encodes them, and sends the bytes together. The
 * receiver may take over their memory.
 */
export function createLineOutput(
  send: (lines: Uint8Array<ArrayBuffer>) => void,
): Pick<Destination, 'write' | 'flush' | 'end'> {
  let lines = '';

  function flush(): void {
    if (lines !== '') send(encoder.encode(lines));
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
