const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];

/**
 * Returns the most frequent separator in the header, outside of quotes. Programs in countries that
 * write 1,5 use semicolons. Undefined if the text ends before the header does.
 */
export function separatorIn(text: string): Separator | undefined {
  const times = new Map<string, number>();
  let isQuoted = false;
  let hasStarted = false;
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    const isLineEnd = sign === '\n' || sign === '\r';
    if (isLineEnd && hasStarted) return mostFrequent(times);
    hasStarted ||= !isLineEnd;
    times.set(sign, (times.get(sign) ?? 0) + 1);
  }
  return undefined;
}

/** The comma wins a tie. */
function mostFrequent(times: ReadonlyMap<string, number>): Separator {
  return SEPARATORS.reduce((best, sign) =>
    (times.get(sign) ?? 0) > (times.get(best) ?? 0) ? sign : best,
  );
}
