/** How long a test waits for something that happens by itself, such as a write once a second. */
const PATIENCE_MS = 30_000;
const STEP_MS = 10;

/** Asks again and again until the answer satisfies, and fails when it never does. */
export async function eventually<T>(
  ask: () => T | Promise<T>,
  satisfies: (response: T) => boolean,
): Promise<T> {
  const end = performance.now() + PATIENCE_MS;
  for (;;) {
    const answer = await ask();
    if (satisfies(answer)) return answer;
    if (performance.now() > end)
      throw new Error(`not in ${PATIENCE_MS} ms: ${Bun.inspect(answer)}`);
    await Bun.sleep(STEP_MS);
  }
}
