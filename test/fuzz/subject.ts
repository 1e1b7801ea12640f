import { Database } from 'bun:sqlite';
import { readFileSync } from 'node:fs';
import { generateKey } from '../../src/domain/api-key.ts';
import { hashKey } from '../../src/domain/secrets.ts';
import { openStorage } from '../../src/storage/open.ts';
import type { Random } from '../e2e/crash/random.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { spawnPetstore } from '../support/command-line.ts';
import { serving } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { ANIMALS, CATEGORIES, FIRST_LATER_ID } from './requests.ts';
import { SMUGGLED } from './smuggling.ts';

/** The server under test: a separate process whose database can be read. */
export interface Subject extends AsyncDisposable {
  readonly port: number;
  /** The key used by inputs, with every scope. */
  readonly key: string;
  /** The key of the well-behaved client. */
  readonly companionKey: string;
  /** Bytes of memory in use. */
  residentBytes(): number;
  /** True once the process has ended. */
  hasEnded(): boolean;
  /** Faults in its log and on standard error since the last call. */
  faults(): readonly string[];
  /** Names of animals created by a request hidden in another. */
  smuggledAnimals(): readonly string[];
  /** Stops it; returns problems with its end or its database. */
  stop(): Promise<readonly string[]>;
}

const UNLIMITED = { perMinute: 1_000_000_000, perDay: 1_000_000_000_000 } as const;
const PAGE_BYTES = 4_096;

/** Keys depend on the seed, so that inputs with a key can be replayed. */
export async function startSubject(random: Random): Promise<Subject> {
  const folder = createTemporaryFolder();
  const path = folder.file('petstore.db');
  const settings = {
    PETSTORE_DATABASE: `sqlite:${path}`,
    PETSTORE_OPS_PORT: 'off',
    // No load shedding: responses must be right on a busy machine too.
    PETSTORE_LOG_LEVEL: 'warn',
    PETSTORE_ANONYMOUS_PER_MINUTE: '1000000',
  };
  const [key, companionKey] = await fill(settings.PETSTORE_DATABASE, random);
  reserveIds(path);
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
    // Those of requests have no message; a fault has a line of its own.
    return lines.filter(
      (line) =>
        line.startsWith('{"level":') &&
        line.includes('"msg":') &&
        // The records are of the clock of the tests.
        !line.includes('"msg":"nothing is erased: the clock'),
    );
  }

  async function stop(): Promise<string[]> {
    child.kill('SIGTERM');
    const exitCode = await child.exited;
    const errors = await server.errors;
    const [check] = database.query<{ integrity_check: string }, []>('PRAGMA integrity_check').all();
    return [
      ...(exitCode === 0 ? [] : [`it exited with ${exitCode}`]),
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

/** Creates keys, animals and categories; returns the keys. */
async function fill(address: string, random: Random): Promise<readonly [string, string]> {
  const storage = await openStorage(address, 'production');
  const bytes = (count: number) => Uint8Array.from({ length: count }, () => random.below(256));
  const createKey = async (name: string): Promise<string> => {
    const text = generateKey('production', bytes);
    await storage.keys.create({
      hash: hashKey(text),
      name,
      plan: 'enterprise',
      ...UNLIMITED,
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

/** Keeps altered requests from naming animals that the companion creates. */
function reserveIds(path: string): void {
  using database = new Database(path);
  database.run(`UPDATE sqlite_sequence SET seq = ${FIRST_LATER_ID} WHERE name = 'pets'`);
}

function residentBytes(pid: number): number {
  const pages = readFileSync(`/proc/${pid}/statm`, 'utf8').split(' ')[1];
  return Number(pages) * PAGE_BYTES;
}
