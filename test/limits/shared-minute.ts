const MINUTE_MS = 60_000;
/** This much of the minute must be left for a test that counts within one. */
const ROOM_MS = 8_000;
const TRIES_MAX = 3;
/** Long enough for every try. */
export const COUNTING_TIMEOUT_MS = TRIES_MAX * 75_000;

/** How often a line of a log says that an instance counts by itself. */
export function lossesIn(log: string): number {
  return log.match(/shared limits are lost/g)?.length ?? 0;
}

/**
 * Runs a test of shared limits within one minute. If `losses` shows that a busy machine made an instance
 * wait too long for Valkey, and so count by itself, the test runs again in another minute.
 */
export async function whileShared(losses: () => number, count: () => Promise<void>): Promise<void> {
  for (let tries = 1; ; tries++) {
    const before = losses();
    await roomInTheMinute();
    try {
      return await count();
    } catch (error) {
      // The log is written once a second.
      await Bun.sleep(1_500);
      if (losses() === before || tries === TRIES_MAX) throw error;
      await Bun.sleep(MINUTE_MS - (Date.now() % MINUTE_MS));
    }
  }
}

/** Waits for the next minute if too little of this one is left. */
export async function roomInTheMinute(): Promise<void> {
  const left = MINUTE_MS - (Date.now() % MINUTE_MS);
  if (left < ROOM_MS) await Bun.sleep(left + 50);
}
