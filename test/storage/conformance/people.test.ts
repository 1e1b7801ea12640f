import { describe, expect, test } from 'bun:test';
import type { NewInvitation, NewPerson } from '../../../src/domain/person.ts';
import { hashKey } from '../../../src/domain/secrets.ts';
import type { Storage } from '../../../src/domain/storage.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { newKey, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const NOW = 1_800_000_000_123;
const STAMP = { at: NOW, keyId: 1n };
const COMMAND = { at: NOW, keyId: null };
const ROBIN: NewPerson = { name: 'Robin', email: 'Robin@Example.org', role: 'manager' };
const any = () => {};

describeContract((engine) => {
  describe('people', () => {
    let count = 0;
    const subject = forEachTest(() => openSubject(engine));

    const people = () => subject.storage.people;
    const invitation = (): NewInvitation => ({
      hash: hashKey(`invitation ${++count}`),
      expiresAt: NOW + 1_000,
    });
    const add = async (parts: Partial<NewPerson> = {}) => {
      const invited = invitation();
      const email = `person.${count}@example.org`;
      const person = await people().create({ ...ROBIN, email, ...parts }, STAMP, invited);
      return { ...person, invitation: invited };
    };
    /** Somebody who has chosen a password. */
    const addActive = async (parts: Partial<NewPerson> = {}) => {
      const added = await add(parts);
      await people().acceptInvitation(added.invitation.hash, NOW, `hash ${added.id}`);
      return added;
    };
    const createAdminKey = async () =>
      await subject.storage.keys.create(newKey({ scopes: ['admin'] }));
    const startSession = async (keyId: bigint, name: string, passwordHash?: string) =>
      await subject.storage.sessions.create(
        { hash: hashKey(name), keyId, createdAt: NOW, passwordHash },
        [],
      );
    const sessionsOf = async (id: bigint) =>
      (await subject.storage.sessions.list(id, NOW)).map(({ hash }) => hash);

    test('have addresses of their own in any case, also when added at once', async () => {
      await using other = await subject.another();
      const first = await add({ email: 'Ana@Example.org' });
      const taken = { code: 'conflict', message: expect.stringContaining('e-mail') };
      await expect(add({ email: 'ana@example.ORG' })).rejects.toMatchObject(taken);
      const second = await add();
      const change = async () =>
        people().update(second.id, STAMP, (now) => ({ ...now, email: 'ANA@example.org' }));
      await expect(change()).rejects.toMatchObject(taken);
      const both = [subject.storage, other.storage].map(async ({ people }) =>
        people.create({ ...ROBIN, email: 'kim@example.org' }, STAMP, invitation()),
      );
      const outcomes = await Promise.allSettled(both);
      expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected']);
      // That of somebody who was removed is free.
      await people().remove(first.id, COMMAND, any);
      expect((await add({ email: 'ana@example.org' })).email).toBe('ana@example.org');
      expect((await people().find(first.id))?.email).toBe('Ana@Example.org');
    });

    test('use an invitation once, in its time, and only the newest', async () => {
      const { id, invitation: first } = await add();
      await startSession(id, 'old');
      const second = { ...invitation(), expiresAt: NOW + 2_000 };
      expect(await people().invite(id, STAMP, second)).toMatchObject({ invitedUntil: NOW + 2_000 });
      expect(await people().findInvited(first.hash, NOW)).toBeUndefined();
      expect(await people().acceptInvitation(first.hash, NOW, 'x')).toBe(false);
      expect(await people().findInvited(second.hash, NOW + 1_999)).toMatchObject({ id });
      expect(await people().findInvited(second.hash, NOW + 2_000)).toBeUndefined();
      expect(await people().acceptInvitation(second.hash, NOW + 2_000, 'x')).toBe(false);
      expect(await people().acceptInvitation(second.hash, NOW, 'a hash')).toBe(true);
      expect(await people().acceptInvitation(second.hash, NOW, 'x')).toBe(false);
      expect(await sessionsOf(id)).toEqual([]);
      expect(await people().find(id)).toMatchObject({ hasPassword: true, invitedUntil: null });
      const found = await people().findPassword(id);
      expect(found).toMatchObject({ passwordHash: 'a hash', person: { id }, key: { id } });
    });

    test('start a session only with the password that they have now', async () => {
      const { id, email } = await addActive();
      expect(await people().findByEmail(email.toUpperCase())).toMatchObject({
        key: { id },
        passwordHash: `hash ${id}`,
      });
      await startSession(id, 'a', `hash ${id}`);
      expect((await people().find(id))?.lastSignInAt).toBe(NOW);
      await startSession(id, 'b', `hash ${id}`);
      const hashes = { oldHash: `hash ${id}`, newHash: 'new', sessionHash: hashKey('b') };
      const change = { id, at: NOW, ...hashes };
      expect(await people().changePassword(change)).toBe(true);
      expect(await people().changePassword(change)).toBe(false);
      expect(await sessionsOf(id)).toEqual([hashKey('b')]);
      const late = startSession(id, 'c', `hash ${id}`);
      await expect(late).rejects.toMatchObject({ code: 'wrong_password' });
      expect(await sessionsOf(id)).toEqual([hashKey('b')]);
    });

    test('who are removed have no session, password or invitation, and stay so', async () => {
      const { id, email } = await addActive();
      const again = invitation();
      await people().invite(id, STAMP, again);
      await startSession(id, 'a', `hash ${id}`);
      await addActive();
      const removed = await people().remove(id, STAMP, any);
      expect(removed).toMatchObject({ removedAt: NOW, hasPassword: false, invitedUntil: null });
      expect(await people().remove(id, { ...STAMP, at: NOW + 9 }, any)).toEqual(removed);
      expect(await sessionsOf(id)).toEqual([]);
      expect(await people().findByEmail(email)).toBeUndefined();
      expect(await people().acceptInvitation(again.hash, NOW, 'x')).toBe(false);
      const conflict = { code: 'conflict', message: `Person ${id} was removed: add a new person.` };
      const change = async () => people().update(id, STAMP, (now) => now);
      await expect(change()).rejects.toMatchObject(conflict);
      const invite = async () => people().invite(id, STAMP, invitation());
      await expect(invite()).rejects.toMatchObject(conflict);
      expect(await people().remove(99n, STAMP, any)).toBeUndefined();
    });

    test('keep the language that they have chosen, which is found by the address', async () => {
      const [ada, kim] = [await addActive({ email: 'Ada@example.org' }), await addActive()];
      const chosen = await people().update(ada.id, STAMP, (now) => ({ ...now, language: 'de' }));
      expect(chosen).toMatchObject({ name: 'Robin', role: 'manager', language: 'de' });
      await subject.reopen();
      expect(await people().find(ada.id)).toEqual(chosen);
      const languages = async () =>
        await people().languages(['ADA@example.org', kim.email, 'nobody@example.org']);
      expect(await languages()).toEqual(
        new Map([
          ['ada@example.org', 'de'],
          [kim.email, null],
        ]),
      );
      await people().remove(ada.id, COMMAND, any);
      expect(await languages()).toEqual(new Map([[kim.email, null]]));
    });

    test('leave a line in the audit for each change, without what is theirs alone', async () => {
      const { id, email, invitation: invited } = await addActive({ role: 'viewer' });
      const change = {
        name: 'Kim',
        email: 'kim@example.org',
        role: 'manager',
        language: null,
      } as const;
      await people().update(id, STAMP, () => change);
      await people().update(id, STAMP, () => change);
      await people().invite(id, STAMP, invitation());
      await startSession(id, 'a', `hash ${id}`);
      const hashes = { oldHash: `hash ${id}`, newHash: 'new', sessionHash: hashKey('a') };
      await people().changePassword({ id, at: NOW, ...hashes });
      await people().remove(id, COMMAND, any);
      // Numbers what nobody waits for.
      await subject.storage.optimize();
      const rows = await subject.database.sql(
        'SELECT type, key_id, changed FROM changes ORDER BY id',
      );
      expect(
        rows.map((row) => [row.type, Number(row.key_id), JSON.parse(`${row.changed}`)]),
      ).toEqual([
        ['person.created', 1, { name: [null, 'Robin'], email: true, role: [null, 'viewer'] }],
        ['person.updated', Number(id), { password: true }],
        ['person.updated', 1, { name: ['Robin', 'Kim'], email: true, role: ['viewer', 'manager'] }],
        ['person.invited', 1, {}],
        ['person.updated', Number(id), { password: true }],
        ['person.removed', 0, { name: ['Kim', null], email: true, role: ['manager', null] }],
      ]);
      const text = JSON.stringify(rows.map((row) => Object.values(row).map(String)));
      for (const own of [email, 'kim@', 'hash', invited.hash]) expect(text).not.toContain(own);
    });

    test('keep one manager: neither invited ones count nor keys', async () => {
      const last = await addActive();
      const invited = await add();
      await addActive({ role: 'volunteer' });
      await createAdminKey();
      const conflict = {
        code: 'conflict',
        message: 'Robin is the last manager who can sign in: make somebody else a manager first.',
      };
      const remove = async () => people().remove(last.id, STAMP, any);
      const demote = async () =>
        people().update(last.id, STAMP, (now) => ({ ...now, role: 'viewer' }));
      await expect(remove()).rejects.toMatchObject(conflict);
      await expect(demote()).rejects.toMatchObject(conflict);
      const renamed = await people().update(last.id, STAMP, (now) => ({ ...now, name: 'Kim' }));
      expect(renamed).toMatchObject({ name: 'Kim', role: 'manager' });
      expect(await people().remove(invited.id, STAMP, any)).toMatchObject({ removedAt: NOW });
      await addActive();
      expect(await demote()).toMatchObject({ role: 'viewer' });
      expect((await subject.storage.keys.find(last.id))?.scopes).toEqual(['read']);
    });

    test('who are the last may be removed by a command', async () => {
      const { id } = await addActive();
      expect(await people().remove(id, COMMAND, any)).toMatchObject({ removedAt: NOW });
    });

    test('keep one of several who are removed or demoted at once, and keys too', async () => {
      await using other = await subject.another();
      const managers = await Promise.all(Array.from({ length: 4 }, () => addActive()));
      const key = await createAdminKey();
      const end = async ({ people, keys }: Storage, id: bigint, isRemoval: boolean) => {
        if (id === key.id) return keys.update(id, NOW, (now) => ({ ...now, revokedAt: NOW }));
        if (isRemoval) return people.remove(id, STAMP, any);
        return people.update(id, STAMP, (now) => ({ ...now, role: 'volunteer' }));
      };
      const ids = [...managers.map(({ id }) => id), key.id];
      const outcomes = await Promise.allSettled([
        ...ids.map((id) => end(subject.storage, id, true)),
        ...ids.toReversed().map((id) => end(other.storage, id, false)),
      ]);
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason.code).toBe('conflict');
      }
      const keys = await Promise.all(ids.map(async (id) => await subject.storage.keys.find(id)));
      const lasting = keys.filter((one) => one?.scopes.includes('admin') && one.revokedAt === null);
      expect(lasting).toHaveLength(1);
      expect(lasting[0]?.id).not.toBe(key.id);
    });
  });
});
