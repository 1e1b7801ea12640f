import type { Counts } from '../storage/transfer/copy.ts';

/** What the tables of a shop hold, for a person. */
const NOUNS = [
  ['pets', 'animal', 'animals'],
  ['categories', 'category', 'categories'],
  ['orders', 'order', 'orders'],
  ['status_changes', 'status in the history', 'statuses in the history'],
  ['api_keys', 'key', 'keys'],
] as const;

/** Says how many of what there is: `1,000 animals, 3 categories, …`. */
export function countsText(counts: Counts): string {
  return NOUNS.map(([table, one, many]) => {
    const count = counts.get(table) ?? 0;
    return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
  }).join(', ');
}
