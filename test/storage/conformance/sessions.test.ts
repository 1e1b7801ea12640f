import { beforeEach, describe, expect, test } from 'bun:test';
import { MINUTE_MS } from '../../../src/domain/clock.ts';
import { HASH_PREFIX_LENGTH, hashKey } from '../../../src/domain/secrets.ts';
import {
  SESSION_IDLE_MS,
  SESSION_KEPT_MS,
  SESSION_LIFETIME_MS,
  SESSIONS_PER_KEY_MAX,
} from '../../../src/domain/session.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { newKey, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const NOON = Date.UTC(2026, 10, 22, 12);

describeContract((engine) => {
  const subject = forEachTest(() => openSubject(engine));
  beforeEach(async () => {
    for (const name of ['one', 'two']) {
      await subject.storage.keys.create(newKey({ name }));
    }
  });

  const hashOf = (name: string | number) => hashKey(`session ${name}`);
  const find = (name: string | number) => subject.storage.sessions.find(hashOf(name));
  const signIn = (name: string | number, parts = {}, replaces: readonly string[] = []) =>
    subject.storage.sessions.create(
      { hash: hashOf(name), keyId: 1n, createdAt: NOON, ...parts },
      replaces,
    );

  describe('sessions', () => {
    test('have hashes whose prefixes are listed', async () => {
      await signIn('a');
      await signIn('b');
      const prefixes = ['a', 'b'].map((name) => hashOf(name).slice(0, HASH_PREFIX_LENGTH));
      const listed = await subject.storage.sessions.hashPrefixes();
      expect([...listed].sort()).toEqual(prefixes.sort());
    });

    test('keep the latest use, and uses of removed ones are dropped', async () => {
      await signIn('a');
      await signIn('b');
      const { sessions } = subject.storage;
      await sessions.recordUse(new Map([hashOf('a'), hashOf('gone')].map((h) => [h, NOON + 70])));
      await sessions.recordUse(new Map([[hashOf('a'), NOON + 60]]));
      await sessions.recordUse(new Map());
      expect((await find('a'))?.session).toEqual({ createdAt: NOON, lastUsedAt: NOON + 70 });
      expect((await find('b'))?.session.lastUsedAt).toBe(NOON);
      expect(await find('gone')).toBeUndefined();
    });

    test('are removed in steps when they have ended, by age or without use', async () => {
      const { sessions } = subject.storage;
      for (let i = 0; i < 5; i++) await signIn(i);
      await signIn('used');
      await signIn('young', { createdAt: NOON + 1 });
      await sessions.recordUse(new Map([[hashOf('used'), NOON + MINUTE_MS]]));
      const idle = NOON + SESSION_IDLE_MS + SESSION_KEPT_MS;
      expect(await sessions.removeEnded(idle - 1, 9)).toBe(0);
      expect(await sessions.removeEnded(idle, 3)).toBe(3);
      expect(await sessions.removeEnded(idle, 3)).toBe(2);
      expect(await find('young')).toBeDefined();
      expect(await sessions.removeEnded(idle + 1, 3)).toBe(1);
      const old = NOON + SESSION_LIFETIME_MS;
      await sessions.recordUse(new Map([[hashOf('used'), old - 1]]));
      expect(await sessions.removeEnded(old - 1, 3)).toBe(0);
      expect(await sessions.removeEnded(old, 3)).toBe(1);
    });

    test('of one key are bounded: the one unused for longest ends', async () => {
      await subject.database.sql(
        `INSERT INTO sessions (hash, key_id, created_at, last_used_at)
         WITH RECURSIVE n (i) AS (
           SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${SESSIONS_PER_KEY_MAX}
         ) SELECT 'session ' || i, 1, ${NOON}, ${NOON} + i FROM n`,
      );
      await signIn('other', { keyId: 2n });
      // The clock was set back since: a new session is never the one to end.
      await signIn('new', { createdAt: NOON - 1 });
      const count = 'SELECT key_id, count(*) AS n FROM sessions GROUP BY key_id ORDER BY key_id';
      const counts = (await subject.database.sql(count)).map(({ n }) => Number(n));
      expect(counts).toEqual([SESSIONS_PER_KEY_MAX, 1]);
      expect(await find('new')).toBeDefined();
      const { sessions } = subject.storage;
      expect(await sessions.find('session 1')).toBeUndefined();
      expect(await sessions.find('session 2')).toBeDefined();
    });

    test('outlive a reset of the records', async () => {
      await signIn('a');
      await subject.storage.reset(CHANGE_STAMP);
      expect(await find('a')).toBeDefined();
    });

    test('are used and removed by two processes at once', async () => {
      await using other = await subject.another();
      const both = [subject.storage.sessions, other.storage.sessions];
      const names = Array.from({ length: 20 }, (_, i) => i);
      for (const name of names) await signIn(name);
      const uses = new Map(names.map((name) => [hashOf(name), NOON + 1]));
      const backwards = new Map([...uses].reverse());
      await Promise.all([both[0]?.recordUse(uses), both[1]?.recordUse(backwards)]);
      const later = NOON + SESSION_LIFETIME_MS;
      const removed = await Promise.all(both.map((one) => one.removeEnded(later, 20)));
      expect(removed.reduce((sum, n) => sum + n, 0)).toBe(20);
    });
  });
});
