/**
 * Loads pino for the first line, which is written after the first response: loading takes a quarter
 * of the processor time until then. `require` is synchronous, so that no line is lost when the process
 * exits.
 */
export function loadPino(): typeof import('pino') {
  return require('pino');
}
