/** The categories of the shop, loaded once for all pages and current ever after. */
import { computed, signal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { type EventType, onChange } from './live.ts';
import { failureOf } from './loading.ts';
import { type Category, type Int64, type PetstoreError, store } from './service.ts';

const TYPES: readonly EventType[] = ['category.created', 'category.updated', 'category.deleted'];

/** By id as text, since an id may be too large for a number. */
const byId = signal<ReadonlyMap<string, Category> | undefined>(undefined);

const collator = new Intl.Collator(undefined, { numeric: true });

/** Why the categories could not be loaded. */
export const categoriesError = signal<PetstoreError | undefined>(undefined);

/** All categories, by name; undefined until they are loaded. */
export const categories = computed(
  () => byId.value && [...byId.value.values()].sort((a, b) => collator.compare(a.name, b.name)),
);

/** Returns the name of a category, or its id if it has none. Empty until that is known. */
export function categoryName(id: Int64): string {
  const known = byId.value;
  if (known === undefined && categoriesError.value === undefined) return '';
  return known?.get(String(id))?.name ?? `Category ${id}`;
}

/** Keeps the categories loaded while a component is shown that reads them. */
export function useCategories(): void {
  useEffect(() => {
    if (byId.value === undefined) void loadCategories();
  }, []);
}

/** Notes a category that was just added, before its event arrives. */
export function noteCategory(category: Category): void {
  if (byId.value) byId.value = new Map(byId.value).set(String(category.id), category);
}

let loading: Promise<void> | undefined;
let isOutdated = false;

/** Loads the categories. A failure is in `categoriesError`. */
export function loadCategories(): Promise<void> {
  isOutdated = loading !== undefined;
  loading ??= loadAll().finally(() => {
    loading = undefined;
    if (isOutdated) void loadCategories();
  });
  return loading;
}

async function loadAll(): Promise<void> {
  try {
    const found = new Map<string, Category>();
    for await (const category of store.categories.list()) found.set(String(category.id), category);
    byId.value = found;
    categoriesError.value = undefined;
  } catch (error) {
    categoriesError.value = failureOf(error);
  }
}

onChange(TYPES, (event) => {
  const known = byId.value;
  if (known === undefined && loading === undefined) {
    // Nobody has read them yet, unless that has failed.
    if (categoriesError.value !== undefined) void loadCategories();
    return;
  }
  // What is on its way may be older than this event.
  if (loading !== undefined) isOutdated = true;
  if (event === undefined || event.type === 'store.reset') void loadCategories();
  else if (event.type === 'category.deleted') {
    const rest = new Map(known);
    rest.delete(String(event.data.id));
    byId.value = rest;
  } else if (event.type === 'category.created' || event.type === 'category.updated') {
    noteCategory(event.data);
  }
});
