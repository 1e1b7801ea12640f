/** The categories of the shop, loaded once for all pages and kept current; of very many, the first. */

import { computed, signal } from '@preact/signals';
import type { Options } from './components/field.tsx';
import { failureOf } from './failures.ts';
import { t } from './language.ts';
import { reloadAfter } from './live.ts';
import { type Category, collect, type Int64, type PetstoreError, store } from './service.ts';

/** By id as text, since an id may be too large for a number. */
const byId = signal<ReadonlyMap<string, Category> | undefined>(undefined);

/** Of a shop with more, the others are loaded when their names are needed. */
const LOADED_MAX = 1_000;
const PAGE_MAX = 100;

/** Whether all categories are loaded. */
export const hasAllCategories = signal(true);

/** Ids, as text, of categories whose names a page needs and that are still to be asked for. */
let wanted = new Set<string>();
/** Ids that were asked for and that no category has. */
const nameless = new Set<string>();

const collator = new Intl.Collator(undefined, { numeric: true });

/** Why the categories could not be loaded. */
const error = signal<PetstoreError | undefined>(undefined);

/** The loaded categories, by name; undefined until they are loaded. */
export const categories = computed(() => {
  const known = loaded();
  return known && [...known.values()].sort((a, b) => collator.compare(a.name, b.name));
});

/** Returns the name of a category, or its id if it has none. Empty until that is known. */
export function categoryName(id: Int64): string {
  const known = loaded();
  if (known === undefined && error.value === undefined) return '';
  const category = known?.get(String(id));
  if (category !== undefined) return category.name;
  if (known === undefined || hasAllCategories.value || nameless.has(String(id))) {
    return t`Category ${id}`;
  }
  if (wanted.size === 0) setTimeout(loadWanted);
  wanted.add(String(id));
  return '';
}

/** Loads the names that a page needs. Those that cannot be loaded are asked for again when they are next drawn. */
async function loadWanted(): Promise<void> {
  const ids = [...wanted];
  wanted = new Set();
  for (let at = 0; at < ids.length; at += PAGE_MAX) {
    const some = ids.slice(at, at + PAGE_MAX);
    try {
      const { items } = await store.categories.list({ id: some.map(BigInt), limit: PAGE_MAX });
      for (const id of some) nameless.add(id);
      noteCategories(items);
    } catch {
      return;
    }
  }
}

/** Returns the loaded categories as choices, and `current` even if it has no name. */
export function categoryOptions(current: Int64 | undefined): Options {
  const all = categories.value ?? [];
  const options = all.map(({ id, name }) => [String(id), name] as const);
  if (current === undefined || all.some(({ id }) => id === current)) return options;
  return [...options, [String(current), categoryName(current) || '…']];
}

/** Notes categories that were just added, before their events arrive. */
export function noteCategories(added: readonly Category[]): void {
  const entries = added.map((one) => [String(one.id), one] as const);
  if (byId.value) byId.value = new Map([...byId.value, ...entries]);
}

let isLoading = false;

/** Returns the loaded categories. Loads them when they are first asked for. */
function loaded() {
  if (byId.value === undefined && error.value === undefined && !isLoading) {
    isLoading = true;
    setTimeout(load);
  }
  return byId.value;
}

async function load(): Promise<void> {
  isLoading = true;
  try {
    const found = await collect(store.categories.list({ limit: PAGE_MAX }), LOADED_MAX + 1);
    nameless.clear();
    hasAllCategories.value = found.length <= LOADED_MAX;
    byId.value = new Map(found.slice(0, LOADED_MAX).map((one) => [String(one.id), one]));
    error.value = undefined;
  } catch (cause) {
    error.value = failureOf(cause);
  }
  isLoading = false;
}

// Until somebody has read them, there is nothing to load again.
const isRead = () => (byId.value ?? error.value) !== undefined;
reloadAfter(['category'], load, () => isLoading, isRead);
