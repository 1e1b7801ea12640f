import type { Counts } from '../storage/transfer/copy.ts';

const NOUNS = [
  ['pets', 'animal', 'animals'],
  ['categories', 'category', 'categories'],
  ['orders', 'order', 'orders'],
  ['status_changes', 'change of a status', 'changes of a status'],
  ['api_keys', 'key', 'keys'],
  ['webhooks', 'webhook', 'webhooks'],
] as const;

/** Summarizes a transfer that started at `begin` (`performance.now`) and how it was verified. */
export function transferText(counts: Counts, begin: number, checks: string): string {
  const seconds = (performance.now() - begin) / 1_000;
  return `${countsText(counts)} (${seconds.toFixed(1)} s, ${checks})`;
}

/** Returns `1,000 animals, 3 categories, …`. */
function countsText(counts: Counts): string {
  return NOUNS.map(([table, one, many]) => {
    const count = counts.get(table) ?? 0;
    return `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;
  }).join(', ');
}
