import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { generateKey } from '../../src/domain/api-key.ts';
import { hashKey } from '../../src/domain/key-hash.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Random } from '../e2e/crash/random.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { spawnPetstore } from '../support/command-line.ts';
import { serving } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { ANIMALS, CATEGORIES, FIRST_LATER_ID } from './requests.ts';
import { SMUGGLED } from './smuggling.ts';

/** The server under test: a process of its own, whose database can be read. */
export interface Subject extends AsyncDisposable {
  readonly port: number;
  /** A key that inputs are made with; it may do everything. */
  readonly key: string;
  /** The key of the client that behaves well. */
  readonly companionKey: string;
  /** Bytes of memory in use. */
  residentBytes(): number;
  /** Whether it has ended. */
  hasEnded(): boolean;
  /** Faults in its log and on standard error since the last call. */
  faults(): readonly string[];
  /** The names of animals created by a request that was hidden in another. */
  smuggledAnimals(): readonly string[];
  /** Stops it; returns problems with its end or its database. */
  stop(): Promise<readonly string[]>;
}

const PLENTY = { perMinute: 1_000_000_000, perDay: 1_000_000_000_000 } as const;
const PAGE_BYTES = 4_096;

/** Keys depend on the seed, so that inputs which hold one can be sent again. */
export async function startSubject(random: Random): Promise<Subject> {
  const folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const settings = {
    PETSTORE_DATABASE: `sqlite:${path}`,
    PETSTORE_OPS_PORT: 'off',
    // Answers must be right whatever else this machine does; what load sheds is tested elsewhere.
    PETSTORE_MAX_QUEUE_MS: '60000',
    PETSTORE_LOG_LEVEL: 'warn',
    PETSTORE_ANONYMOUS_PER_MINUTE: '1000000',
  };
  const [key, companionKey] = await fill(settings.PETSTORE_DATABASE, random);
  putLaterIdsFarAway(path);
  const child = spawnPetstore(['serve', '--port', '0'], settings);
  const server = await serving(child, companionKey);
  const database = new Database(path, { readonly: true, safeIntegers: true });
  const newAnimals = database.query<{ id: bigint; name: string }, [bigint]>(
    'SELECT id, name FROM pets WHERE id > ? ORDER BY id',
  );
  let seenId = 0n;
  let seenOutput = 0;

  function smuggledAnimals(): string[] {
    const names = newAnimals.all(seenId);
    seenId = names.at(-1)?.id ?? seenId;
    return names.flatMap(({ name }) => (name.startsWith(SMUGGLED) ? [name] : []));
  }

  function faults(): string[] {
    const lines = server.output().slice(seenOutput).split('\n');
    const rest = lines.pop() ?? '';
    seenOutput = server.output().length - rest.length;
    return lines.filter((line) => line.startsWith('{"level":'));
  }

  async function stop(): Promise<string[]> {
    child.kill('SIGTERM');
    const exitCode = await child.exited;
    const errors = await server.errors;
    const [check] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
    return [
      ...(exitCode === 0 ? [] : [`it ended with the exit code ${exitCode}`]),
      ...(errors === '' ? [] : [`it wrote to standard error: ${errors.slice(0, 2_000)}`]),
      ...(check?.integrity_check === 'ok' ? [] : ['the database is damaged']),
    ];
  }

  return {
    port: server.port,
    key,
    companionKey,
    residentBytes: () => residentBytes(child.pid),
    hasEnded: () => child.exitCode !== null || child.signalCode !== null,
    faults,
    smuggledAnimals,
    stop,
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await child.exited;
      database.close();
      folder[Symbol.dispose]();
    },
  };
}

/** Makes keys, animals and categories; gives the keys. */
async function fill(address: string, random: Random): Promise<readonly [string, string]> {
  const storage = await openStorage(address, 'production');
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => random.below(256));
  const createKey = async (name: string): Promise<string> => {
    const text = generateKey('production', bytes);
    await storage.keys.create({
      hash: hashKey(text),
      name,
      plan: 'enterprise',
      ...PLENTY,
      scopes: ['admin'],
      createdAt: Date.now(),
      expiresAt: null,
    });
    return text;
  };
  const keys = [await createKey('fuzz'), await createKey('companion')] as const;
  const animals = Array.from({ length: ANIMALS }, (_, i) => ({
    name: `Rex ${i}`,
    category: { name: `Category ${i % CATEGORIES}` },
    status: 'available' as const,
    externalId: undefined,
  }));
  await storage.pets.importBatch(animals, CHANGE_STAMP);
  await storage.close();
  return keys;
}

/** Nothing that an altered request changes is then anything that the companion has made. */
function putLaterIdsFarAway(path: string): void {
  using database = new Database(path);
  database.run(`UPDATE sqlite_sequence SET seq = ${FIRST_LATER_ID} WHERE name = 'pets'`);
}

function residentBytes(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return Number(pages) * PAGE_BYTES;
}
