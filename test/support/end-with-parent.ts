const SETPRIV = Bun.which('setpriv');

/**
 * A command whose process ends with the one that starts it, however that ends: what tests share,
 * and what an interrupted run has not stopped. Where there is no setpriv (it is in util-linux), the
 * command as it is.
 */
export function endWithParent(command: readonly string[]): string[] {
  return SETPRIV === null ? [...command] : [SETPRIV, '--pdeathsig', 'KILL', ...command];
}
