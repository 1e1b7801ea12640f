/**
 * Keeps the page when a file is dropped beside the place for it: a browser would open the file instead.
 * Returns a function that ends this.
 */
export function keepPage(): () => void {
  const types = ['dragover', 'drop'] as const;
  const prevent = (event: Event) => event.preventDefault();
  for (const type of types) addEventListener(type, prevent);
  return () => {
    for (const type of types) removeEventListener(type, prevent);
  };
}
