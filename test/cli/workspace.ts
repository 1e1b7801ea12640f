import { Database } from 'bun:sqlite';
import { expect } from 'bun:test';
import { existsSync, writeFileSync } from 'node:fs';
import type { ExportedPet } from '../../src/domain/pet.ts';
import { openStorage } from '../../src/storage/open.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { type Finished, runHere } from '../support/command-line.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

/** Commands have the clock of the machine, and an animal came before today. */
export const ADDED_AT = Date.UTC(2026, 0, 15, 12);

/** A folder with files to import, and a database. */
export interface Workspace extends Disposable {
  /** The address of the database, which the commands create. */
  readonly address: string;
  path(name: string): string;
  exists(name: string): boolean;
  /** Writes a file and returns its path. */
  write(name: string, content: string | Uint8Array): string;
  /** Runs a command on the database. */
  run(...args: readonly string[]): Promise<Finished>;
  /** Runs a command that must succeed with nothing on standard error; returns its output. */
  output(...args: readonly string[]): Promise<string>;
  /** Imports a file with this content, which must succeed; returns the summary. */
  importCsv(content: string, ...flags: readonly string[]): Promise<string>;
  /** Every animal, ascending by id. */
  animals(): Promise<readonly ExportedPet[]>;
  /** Adds animals to the database, in one transaction. */
  add(...animals: readonly Partial<ExportedPet>[]): Promise<void>;
  /** The names of all categories, by their ids. */
  categories(): Map<bigint, string>;
}

export function createWorkspace(settings: Readonly<Record<string, string>> = {}): Workspace {
  const folder = createTemporaryFolder();
  const address = `sqlite:${folder.file('petstore.db')}`;
  const write = (name: string, content: string | Uint8Array) => {
    writeFileSync(folder.file(name), content);
    return folder.file(name);
  };
  const run = (...args: readonly string[]) =>
    runHere(args, { PETSTORE_DATABASE: address, ...settings });

  async function output(...args: readonly string[]): Promise<string> {
    const { exitCode, stdout, stderr } = await run(...args);
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' });
    return stdout;
  }

  async function add(...animals: readonly Partial<ExportedPet>[]): Promise<void> {
    const storage = await openStorage(address, 'production');
    const batch = animals.map(
      ({ name = 'Rex', categoryId = 1n, status = 'available', externalId }) => ({
        name,
        category: { id: categoryId },
        status,
        externalId,
      }),
    );
    await storage.pets.importBatch(batch, { ...CHANGE_STAMP, at: ADDED_AT });
    await storage.close();
  }

  async function animals(): Promise<readonly ExportedPet[]> {
    const storage = await openStorage(address, 'production');
    const page = await storage.pets.exportPage(undefined, { afterId: undefined, limit: 1e6 });
    await storage.close();
    return page.items;
  }

  function categories(): Map<bigint, string> {
    using database = new Database(folder.file('petstore.db'), { safeIntegers: true });
    const rows = database.query<{ id: bigint; name: string }, []>('SELECT * FROM categories').all();
    return new Map(rows.map(({ id, name }) => [id, name]));
  }

  return {
    address,
    path: folder.file,
    exists: (name) => existsSync(folder.file(name)),
    write,
    run,
    output,
    importCsv: (content, ...flags) => output('import', write('animals.csv', content), ...flags),
    animals,
    add,
    categories,
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

/** Checks that a command failed with a readable message and no stack. */
export function expectFailure(finished: Finished, exitCode: 1 | 2, message: RegExp): void {
  expect(finished).toMatchObject({ exitCode, stdout: '' });
  expect(finished.stderr).toMatch(message);
  expect(finished.stderr).not.toMatch(/^\s*at |\.ts:\d|node_modules|Error:/m);
}
