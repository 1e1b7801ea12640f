/**
 * Loads pino when the first line is written, which is after the first answer: to load it takes a
 * quarter of the processor time until there is one. `require` gives it at once, so that no line is
 * lost that is written as the process ends.
 */
export function loadPino(): typeof import('pino') {
  return require('pino');
}
