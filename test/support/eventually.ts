/** The timeout for something that happens by itself, such as a write once a second. */
const PATIENCE_MS = 30_000;
const STEP_MS = 10;

/**
 * Repeats a request until its response satisfies a condition, with a pause after each. Throws after the timeout; `patience`
 * multiplies it.
 */
export async function eventually<T>(
  request: () => T | Promise<T>,
  satisfies: (response: T) => boolean,
  patience = 1,
  pauseMs = STEP_MS,
): Promise<T> {
  const end = performance.now() + patience * PATIENCE_MS;
  for (;;) {
    const response = await request();
    if (satisfies(response)) return response;
    if (performance.now() > end)
      throw new Error(`not in ${patience * PATIENCE_MS} ms: ${Bun.inspect(response)}`);
    await Bun.sleep(pauseMs);
  }
}

/** Repeats a request until its response is this value. */
export function eventuallyIs<T>(request: () => T | Promise<T>, value: T): Promise<T> {
  return eventually(request, (response) => response === value);
}
