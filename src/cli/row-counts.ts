import type { Counts } from '../storage/transfer/copy.ts';

/** What the tables of a shop hold, for a person. */
const NOUNS = [
  ['pets', 'animal', 'animals'],
  ['categories', 'category', 'categories'],
  ['orders', 'order', 'orders'],
  ['status_changes', 'change of a status', 'changes of a status'],
  ['api_keys', 'key', 'keys'],
] as const;

/** Says what a transfer brought, since it began (`performance.now`), and how that was made sure of. */
export function transferText(counts: Counts, begin: number, checks: string): string {
  const seconds = (performance.now() - begin) / 1_000;
  return `${countsText(counts)} (${seconds.toFixed(1)} s, ${checks})`;
}

/** How many of what there is: `1,000 animals, 3 categories, …`. */
function countsText(counts: Counts): string {
  return NOUNS.map(([table, one, many]) => {
    const count = counts.get(table) ?? 0;
    return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
  }).join(', ');
}
