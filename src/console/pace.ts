/** Reloading at a pace that neither the service nor a slow network suffers from. */

/** The first wait after a change. It doubles while changes continue: an import makes thousands. */
const PAUSE_MIN_MS = 250;
const PAUSE_MAX_MS = 5_000;
/** After this long without a change, the next one is shown soon again. */
const QUIET_MS = 5_000;

/**
 * Starts to pace the reloads of one thing: after changes, and from time to time. In a hidden tab
 * they wait until the tab is shown. A load that runs is not ended for another.
 */
export function startPace(reload: () => void, isLoading: () => boolean) {
  let pause = PAUSE_MIN_MS;
  let lastChange = -Infinity;
  let timer: ReturnType<typeof setTimeout> | undefined;
  /** Whether a reload waits until the tab is shown. */
  let isDue = false;

  function reloadIfShown() {
    isDue = document.hidden;
    if (!isDue) reload();
  }

  function reloadSoon() {
    timer ??= setTimeout(() => {
      timer = undefined;
      // The load that runs may have missed the change.
      if (isLoading()) return reloadSoon();
      pause = Math.min(2 * pause, PAUSE_MAX_MS);
      reloadIfShown();
    }, pause);
  }

  const noteVisibility = () => isDue && !document.hidden && reloadIfShown();
  document.addEventListener('visibilitychange', noteVisibility);
  return {
    /** Reloads soon, since something has changed. */
    noteChange() {
      const now = performance.now();
      if (now - lastChange > QUIET_MS) pause = PAUSE_MIN_MS;
      lastChange = now;
      reloadSoon();
    },
    /** Reloads unless a load runs. */
    poll: () => isLoading() || reloadIfShown(),
    end() {
      document.removeEventListener('visibilitychange', noteVisibility);
      clearTimeout(timer);
    },
  };
}
