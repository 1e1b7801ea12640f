import type { Category } from '../../domain/category.ts';
import type { ChangeObserver } from '../../domain/change-log.ts';
import { matchesFilter, type Pet } from '../../domain/pet.ts';
import type { Dependency } from '../contract/dependency.ts';
import { type ListingChange, listingChangeOf, mayAlter } from './listing-changes.ts';

/** The changes of records that the storage has reported. */
export interface ReportedChanges extends ChangeObserver {
  /** Grows with each change of a record, and each day. */
  readonly version: number;
  /** Notes the day, as `dayOf` counts: ages depend on it. */
  passDay(today: number): void;
  /** Returns whether a change after `version` may have altered a response. */
  mayHaveAltered(dependsOn: Dependency, version: number): boolean;
}

/** Creates an observer that knows no change yet. A change costs it a place in a list. */
export function createReportedChanges(): ReportedChanges {
  // Additions have the highest ids. Kept apart, a block of them is skipped at once by a full page.
  const addedPets = createRecentChanges<Pet>();
  const changedPets = createRecentChanges<Pet>();
  const categories = createRecentChanges<Category>();
  const listings = createRecentChanges<ListingChange>(LISTINGS_COMPARED_MAX);
  let version = 0;
  let day = 0;

  function add<T>(to: RecentChanges<T>, id: bigint | number, after: T | undefined): void {
    version++;
    to.add(version, { id: Number(id), after });
  }

  function lost(): void {
    version++;
    for (const changes of [addedPets, changedPets, categories, listings]) changes.forget(version);
  }

  return {
    get version() {
      return version;
    },
    passDay(today) {
      if (today === day) return;
      day = today;
      listings.forget(++version);
    },
    lost,
    changed(change, fields = null) {
      const { type } = change;
      if (type === 'pet.created') add(addedPets, change.pet.id, change.pet);
      else if (type === 'pet.updated' || type === 'pet.restored')
        add(changedPets, change.pet.id, change.pet);
      else if (type === 'pet.deleted') add(changedPets, change.pet.id, undefined);
      else if (type === 'category.deleted') add(categories, change.category.id, undefined);
      else if ('category' in change) add(categories, change.category.id, change.category);
      else if (type === 'store.reset') lost();
      // What the public is told about the shop is on every page.
      else if (type === 'shop.updated') listings.forget(++version);
      // No cached response shows an order or an enquiry.
      const listing = listingChangeOf(change, fields);
      if (listing !== undefined) add(listings, listing.petId, listing);
    },
    mayHaveAltered(dependsOn, since) {
      if (dependsOn.resource === 'listing') {
        const alters = ({ after }: RecordChange<ListingChange>) =>
          after === undefined || mayAlter(after, dependsOn);
        return dependsOn.day !== day || listings.someAfter(since, EVERY_ID, alters);
      }
      const { ids, filter } = dependsOn;
      if (dependsOn.resource === 'category') {
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

/** Changes are kept in blocks. A search skips a block if no id in it can be in the range. */
const BLOCK_LENGTH = 64;
const BLOCKS_MAX = 64;
/**
 * Changes that one search compared at closely: comparing more of them with a filter would cost more
 * than making the response again.
 */
const COMPARED_MAX = 200;
/** The same for listings: a page costs more, and comparing less. */
const LISTINGS_COMPARED_MAX = 2_000;
const EVERY_ID = { lowestId: -Infinity, highestId: Infinity };

/** A range of ids; both ends belong to it. */
export interface IdRange {
  readonly lowestId: number;
  readonly highestId: number;
}

/** A change of a record. */
export interface RecordChange<T> {
  readonly id: number;
  /** The record after the change; undefined if it was removed. */
  readonly after: T | undefined;
}

/** The last few thousand changes of one kind, each with the version that it made. */
export interface RecentChanges<T> {
  add(version: number, change: RecordChange<T>): void;
  /** Drops all changes up to this version. */
  forget(version: number): void;
  /**
   * Returns whether any change after `version` in this range of ids passes the test; also true if
   * that is unknown or would cost too much to find out.
   */
  someAfter(version: number, range: IdRange, test: (change: RecordChange<T>) => boolean): boolean;
}

interface Block<T> {
  lowestId: number;
  highestId: number;
  readonly versions: number[];
  readonly changes: RecordChange<T>[];
}

/** Creates an empty list of changes. A search compares at most `comparedMax` of them closely. */
export function createRecentChanges<T>(comparedMax = COMPARED_MAX): RecentChanges<T> {
  const blocks: Block<T>[] = [];
  /** The changes of this version and of those before it are not kept. */
  let forgotten = 0;

  function forget(version: number): void {
    blocks.length = 0;
    forgotten = version;
  }

  /** Returns the block for the next change. */
  function blockToFill(): Block<T> {
    const last = blocks.at(-1);
    if (last !== undefined && last.changes.length < BLOCK_LENGTH) return last;
    if (blocks.length === BLOCKS_MAX) forgotten = blocks.shift()?.versions.at(-1) ?? forgotten;
    const block = { lowestId: Infinity, highestId: -Infinity, versions: [], changes: [] };
    blocks.push(block);
    return block;
  }

  return {
    forget,
    add(version, change) {
      const block = blockToFill();
      block.lowestId = Math.min(block.lowestId, change.id);
      block.highestId = Math.max(block.highestId, change.id);
      block.versions.push(version);
      block.changes.push(change);
    },
    someAfter(version, { lowestId, highestId }, test) {
      if (version < forgotten) return true;
      let compared = 0;
      for (let b = blocks.length - 1; b >= 0; b--) {
        const block = blocks[b];
        if (block === undefined || (block.versions.at(-1) ?? 0) <= version) return false;
        if (block.highestId < lowestId || block.lowestId > highestId) continue;
        for (let i = block.changes.length - 1; i >= 0; i--) {
          if ((block.versions[i] ?? 0) <= version) return false;
          const change = block.changes[i];
          if (change === undefined || change.id < lowestId || change.id > highestId) continue;
          if (++compared > comparedMax || test(change)) return true;
        }
      }
      return false;
    },
  };
}
