import type { Category } from '../../domain/category.ts';
import type { ChangeObserver } from '../../domain/change-log.ts';
import { matchesFilter, type Pet } from '../../domain/pet.ts';
import type { Dependency } from '../contract/dependency.ts';
import { createRecentChanges, type RecentChanges, type RecordChange } from './recent-changes.ts';

/** The changes of records that the storage has reported. */
export interface ReportedChanges extends ChangeObserver {
  /** Grows with each change of a record. */
  readonly version: number;
  /** Returns whether a change after `version` may have altered a response. */
  mayHaveAltered(dependsOn: Dependency, version: number): boolean;
}

/** Creates an observer that knows no change yet. A change costs it a place in a list. */
export function createReportedChanges(): ReportedChanges {
  // Additions have the highest ids. Kept apart, a block of them is skipped at once by a full page.
  const addedPets = createRecentChanges<Pet>();
  const changedPets = createRecentChanges<Pet>();
  const categories = createRecentChanges<Category>();
  let version = 0;

  function add<T>(to: RecentChanges<T>, id: bigint, after: T | undefined): void {
    version++;
    to.add(version, { id: Number(id), after });
  }

  function lost(): void {
    version++;
    for (const changes of [addedPets, changedPets, categories]) changes.forget(version);
  }

  return {
    get version() {
      return version;
    },
    lost,
    changed(change) {
      const { type } = change;
      if (type === 'pet.created') add(addedPets, change.pet.id, change.pet);
      else if (type === 'pet.updated') add(changedPets, change.pet.id, change.pet);
      else if (type === 'pet.deleted') add(changedPets, change.pet.id, undefined);
      else if (type === 'category.deleted') add(categories, change.category.id, undefined);
      else if ('category' in change) add(categories, change.category.id, change.category);
      else if (type === 'store.reset') lost();
      // No cached response shows an order.
    },
    mayHaveAltered(dependsOn, since) {
      const { resource, ids, filter } = dependsOn;
      if (resource === 'category') {
        return categories.someAfter(since, dependsOn, () => true);
      }
      const alters = ({ id, after }: RecordChange<Pet>) =>
        (after !== undefined && matchesFilter(after, filter)) || ids.includes(id);
      return (
        addedPets.someAfter(since, dependsOn, alters) ||
        changedPets.someAfter(since, dependsOn, alters)
      );
    },
  };
}
