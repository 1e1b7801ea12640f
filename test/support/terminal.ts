import { join } from 'node:path';

const MAIN = join(import.meta.dir, '../../src/main.ts');

/** A command that runs on a terminal. */
export interface OnTerminal {
  readonly child: Bun.Subprocess;
  /** The terminal's output so far. */
  readonly screen: () => string;
}

/** Starts a command on its own terminal, without our environment. */
export function startOnTerminal(
  args: readonly string[],
  settings: Readonly<Record<string, string>> = {},
): OnTerminal {
  const decoder = new TextDecoder();
  let screen = '';
  const child = Bun.spawn([process.execPath, MAIN, ...args], {
    env: { PATH: process.env['PATH'] ?? '', TERM: 'xterm', ...settings },
    terminal: {
      cols: 200,
      data: (_terminal, bytes) => {
        screen += decoder.decode(bytes, { stream: true });
      },
    },
  });
  return { child, screen: () => screen.replaceAll('\r\n', '\n') };
}
