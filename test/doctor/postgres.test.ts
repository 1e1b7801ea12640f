import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { readFileSync, writeFileSync } from 'node:fs';
import { clockDifference } from '../../src/doctor/clock.ts';
import { type ServerFacts, serverFindings } from '../../src/doctor/postgres.ts';
import { openStorage } from '../../src/storage/open.ts';
import { forAllTests } from '../support/lifetime.ts';
import { createPostgresDatabase, statement } from '../support/postgres-engine.ts';
import { startPostgres } from '../support/postgres-server.ts';
import type { TestDatabase } from '../support/test-database.ts';
import { examined, troubles, verdictOn } from './examination.ts';

// A busy machine takes long for a cluster and its databases.
setDefaultTimeout(60_000);

/** Test servers run without fsync, and a single instance needs no Valkey. */
const OF_TESTS = [
  'advice database: It acknowledges what is not on its disk yet (fsync off, synchronous_commit on).',
  'advice limits: Each instance counts only its own requests, so a key gets its full limits on every instance.',
];

const look = (address: string, settings = {}) =>
  examined({ PETSTORE_DATABASE: address, ...settings });
/** Returns the problems with this database, except those that every test server has. */
async function found(address: string, settings = {}): Promise<string[]> {
  return troubles(await look(address, settings)).filter((text) => !OF_TESTS.includes(text));
}

describe(`a database of a server`, () => {
  const server = forAllTests(() => startPostgres());

  async function createDatabase(): Promise<TestDatabase> {
    const database = await createPostgresDatabase(server);
    await (await openStorage(database.address, 'production')).close();
    return database;
  }

  test('that is as it should be', async () => {
    await using database = await createDatabase();
    const findings = await look(database.address);
    expect(troubles(findings).toSorted()).toEqual(OF_TESTS);
    for (const pattern of [/accepts the connection/, /PostgreSQL \d+/, /up to date/]) {
      expect(verdictOn(findings, 'database', pattern)).toBe('good');
    }
    expect(verdictOn(findings, 'clock', /database server agree/)).toBe('good');
  });

  test('whose changes get no ids is worth a look', async () => {
    await using database = await createDatabase();
    const late = Date.now() - 60_000;
    const insert = `INSERT INTO unnumbered_changes (type, at) VALUES ('store.reset', ${late})`;
    expect(verdictOn(await look(database.address), 'database', /no events yet/)).toBe('good');
    await database.sql(insert);
    const lines = await found(database.address);
    expect(lines).toEqual([
      expect.stringMatching(
        /^advice database: Changes wait for their ids, so that nobody learns of them: 1, the oldest for \d+ s\.$/,
      ),
    ]);
  });

  test('that is empty is a problem, and stays empty', async () => {
    await using database = await createPostgresDatabase(server);
    const findings = await look(database.address);
    expect(verdictOn(findings, 'database', /^There is no Petstore database at postgres:/)).toBe(
      'bad',
    );
    expect(await database.sql("SELECT FROM pg_tables WHERE schemaname = 'public'")).toEqual([]);
    await database.sql('CREATE ROLE guest LOGIN');
    expect(await found(database.address.replace('petstore@', 'guest@'))).toEqual([
      'bad database: It is empty, and this user may not create tables in it.',
    ]);
  });

  test('of another program, of the other deployment', async () => {
    await using foreign = await createPostgresDatabase(server);
    await foreign.sql('CREATE TABLE music (title text)');
    expect(await found(foreign.address)).toEqual([
      'bad database: It is a database of another program.',
    ]);
    await using database = await createDatabase();
    expect(await found(database.address, { PETSTORE_ENVIRONMENT: 'staging' })).toEqual([
      'bad database: It belongs to the production deployment, and the settings are for staging.',
    ]);
  });

  test('of a newer release', async () => {
    await using database = await createDatabase();
    await database.sql("INSERT INTO schema_versions (version, name) VALUES (99, 'later')");
    expect(await found(database.address)).toEqual([
      expect.stringMatching(
        /^bad database: Its schema has version 99, but this release knows only/,
      ),
    ]);
  });

  test('that is not there, or lets nobody in', async () => {
    await using database = await createDatabase();
    const { address } = database;
    expect(await found(server.addressOf('nowhere'))).toEqual([
      expect.stringMatching(/^bad database: .*nowhere has no such database \(3D000\)\.$/),
    ]);
    expect(await found(address.replace('petstore@', 'nobody@'))).toEqual([
      expect.stringMatching(/^bad database: .*refuses this user or password \(28000\)\.$/),
    ]);

    await database.sql("CREATE ROLE shop LOGIN PASSWORD 'right'");
    const [{ hba_file } = { hba_file: '' }] = await database.sql('SHOW hba_file');
    const rules = readFileSync(String(hba_file), 'utf8');
    writeFileSync(String(hba_file), `host all shop 127.0.0.1/32 scram-sha-256\n${rules}`);
    await database.sql('SELECT pg_reload_conf()');
    const wrong = await look(address.replace('petstore@', 'shop:s3cret@'));
    expect(verdictOn(wrong, 'database', /refuses this user or password \(28P01\)/)).toBe('bad');
    expect(JSON.stringify(wrong)).not.toContain('s3cret');
    const right = await look(address.replace('petstore@', 'shop:right@'));
    expect(verdictOn(right, 'database', /lacks rights that requests need: .*SELECT on pets/)).toBe(
      'bad',
    );
  });

  test('whose server hangs, is stopped, or is none', async () => {
    await using database = await createDatabase();
    const unreachable = [expect.stringMatching(/^bad database: .*cannot be reached/)];
    {
      using _away = await server.pause();
      expect(await found(database.address)).toEqual(unreachable);
    }
    {
      await using _away = await server.stop('fast');
      expect(await found(database.address)).toEqual(unreachable);
    }
    expect(await found(database.address)).toEqual([]);

    using other = Bun.listen({
      hostname: '127.0.0.1',
      port: 0,
      socket: { data: (socket) => void socket.write('HTTP/1.1 400 Bad Request\r\n\r\n') },
    });
    expect(await found(`postgres://shop@127.0.0.1:${other.port}/pets`)).toEqual(unreachable);
    expect(await statement(database.address, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  }, 60_000);
});

test('a clock that differs is reported with its direction', () => {
  expect(clockDifference('Valkey', 1_999)).toEqual({
    area: 'clock',
    verdict: 'good',
    found: 'This machine and Valkey agree on the time.',
  });
  expect(clockDifference('Valkey', -2_500)).toMatchObject({
    verdict: 'advice',
    found: 'The clock of Valkey is 2.5 s behind the clock of this machine.',
  });
  expect(clockDifference('Valkey', 86_400_000)).toMatchObject({
    verdict: 'bad',
    found: 'The clock of Valkey is 86400.0 s ahead of the clock of this machine.',
  });
});

describe('what a server says of itself', () => {
  const NOW = 1_800_000_000_000;
  const FACTS: ServerFacts = {
    version: 15,
    standby: false,
    commit: 'on',
    fsync: 'on',
    damaged: 0n,
    now: BigInt(NOW) * 1_000n,
  };

  test.each<[string, Partial<ServerFacts>, number, string[]]>([
    ['is good', {}, 20, []],
    ['is too old', { version: 14 }, 1, ['bad']],
    ['is a standby', { standby: true }, 1, ['bad']],
    ['does not wait for its disk', { fsync: 'off' }, 1, ['advice']],
    ['does not wait for its commits', { commit: 'off' }, 1, ['advice']],
    ['waits for another disk as well', { commit: 'remote_apply' }, 1, []],
    ['keeps no checksums', { damaged: null }, 1, ['advice']],
    ['has read damaged pages', { damaged: 2n }, 1, ['bad']],
    ['is far away', {}, 21, ['advice']],
    ['has another time', { now: (BigInt(NOW) + 2_001n) * 1_000n }, 1, ['advice']],
    ['has quite another time', { now: (BigInt(NOW) - 60_001n) * 1_000n }, 1, ['bad']],
  ])('%s', (_name, changes, roundTrip, verdicts) => {
    const findings = [...serverFindings({ ...FACTS, ...changes }, NOW, roundTrip)];
    const found = findings.map(({ verdict }) => verdict).filter((verdict) => verdict !== 'good');
    expect(found).toEqual(verdicts as typeof found);
  });
});
