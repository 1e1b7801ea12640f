/**
 * Writes to standard output, and comes back when that has taken it. Throws where it cannot: a disk
 * that is full, a reader that is gone.
 */
export function print(text: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // The stream tells the callback too; without a listener the event would end the process.
  process.stdout.once('error', reject);
  process.stdout.write(text, (error) => (error ? reject(error) : resolve()));
  return promise;
}
