import { readFileSync, writeSync } from 'node:fs';

/*
 * Preloaded into a process: tells the most memory that it took, at its end. What the kernel tells whoever started it counts
 * from before the program was loaded, when it still was a copy of the one that runs the tests.
 */
process.on('exit', () => {
  const [, kibibytes = ''] =
    /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8')) ?? [];
  writeSync(2, `peak ${kibibytes}\n`);
});
