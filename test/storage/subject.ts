import type { NewApiKey } from '../../src/domain/api-key.ts';
import type { ImportedPet, NewPet, Pet, PetFilter } from '../../src/domain/pet.ts';
import { hashKey } from '../../src/domain/secrets.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Opening } from '../../src/storage/opening.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import type { TestDatabase, TestEngine } from '../support/engines.ts';

/** A storage under test, on its own database. */
export interface Subject extends AsyncDisposable {
  readonly storage: Storage;
  readonly database: TestDatabase;
  /** Closes the storage and opens it again on the same database. */
  reopen(): Promise<void>;
  /** A second storage on the same database, like that of another process. */
  another(): Promise<AsyncDisposable & { readonly storage: Storage }>;
}

/** A busy machine needs longer than a request waits. */
const OPENING: Opening = { trackerTimeoutMs: 30_000 };

export async function openSubject(engine: TestEngine): Promise<Subject> {
  const database = await engine.createDatabase();
  const open = async () => await openStorage(database.address, 'production', OPENING);
  let storage = await open();
  return {
    database,
    get storage() {
      return storage;
    },
    async reopen() {
      await storage.close();
      storage = await open();
    },
    async another() {
      const second = await open();
      return { storage: second, [Symbol.asyncDispose]: async () => await second.close() };
    },
    async [Symbol.asyncDispose]() {
      await storage.close();
      await database[Symbol.asyncDispose]();
    },
  };
}

/** A precondition that always passes. */
export const anyState = () => {};

/** An animal with defaults for what a test does not specify. */
export function animal(parts: Partial<NewPet> = {}): NewPet {
  return { name: 'Rex', categoryId: 1n, status: 'available', ...parts };
}

/** A key with defaults for what a test does not specify. Another name makes another key. */
export function newKey(parts: Partial<NewApiKey> = {}): NewApiKey {
  const { name = 'one' } = parts;
  return {
    ...{ hash: hashKey(name), name, plan: 'pro', perMinute: null, perDay: null },
    ...{ scopes: ['write'], createdAt: CHANGE_STAMP.at, expiresAt: null },
    ...parts,
  };
}

/** An animal of an import file, with the same defaults. */
export function imported(parts: Partial<ImportedPet> = {}): ImportedPet {
  return {
    name: 'Rex',
    category: { id: 1n },
    status: 'available',
    externalId: undefined,
    ...parts,
  };
}

/** The first 100 animals that match a filter, however many pages a search takes on a busy machine. */
export async function listAll(storage: Storage, filter: PetFilter = {}): Promise<readonly Pet[]> {
  const found: Pet[] = [];
  let afterId: bigint | undefined;
  do {
    const page = await storage.pets.list(filter, { afterId, limit: 100 - found.length });
    found.push(...page.items);
    afterId = page.resumeAfter;
  } while (afterId !== undefined && found.length < 100);
  return found;
}
