const SETPRIV = Bun.which('setpriv');

/**
 * Returns a command that is killed when the process that starts it ends, for any reason. Shared
 * servers need it, and so does an interrupted run. Without setpriv (in util-linux), returns the
 * command unchanged.
 */
export function endWithParent(command: readonly string[]): string[] {
  return SETPRIV === null ? [...command] : [SETPRIV, '--pdeathsig', 'KILL', ...command];
}
