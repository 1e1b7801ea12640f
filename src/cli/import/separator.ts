/** What may stand between the columns of a CSV file. */
const SEPARATORS = [',', ';', '\t'] as const;
export type Separator = (typeof SEPARATORS)[number];

/**
 * Finds what separates the columns, from the beginning of a file: the sign that stands most often
 * in the header outside of quotes. Programs in countries that write 1,5 separate with semicolons.
 * Undefined while the header goes on beyond the text.
 */
export function separatorIn(text: string): Separator | undefined {
  const times = new Map<string, number>();
  let isQuoted = false;
  let isBegun = false;
  for (const sign of text) {
    if (sign === '"') isQuoted = !isQuoted;
    if (isQuoted) continue;
    const isLineEnd = sign === '\n' || sign === '\r';
    if (isLineEnd && isBegun) return mostFrequent(times);
    isBegun ||= !isLineEnd;
    times.set(sign, (times.get(sign) ?? 0) + 1);
  }
  return undefined;
}

/** The comma, where signs are equally frequent. */
function mostFrequent(times: ReadonlyMap<string, number>): Separator {
  return SEPARATORS.reduce((best, sign) =>
    (times.get(sign) ?? 0) > (times.get(best) ?? 0) ? sign : best,
  );
}
