import { beforeEach, describe, expect, test } from 'bun:test';
import type { EnquiryChange, EnquiryQuery } from '../../../src/domain/enquiry.ts';
import { issueInvitation, type Role } from '../../../src/domain/person.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { addEnquiry, addListed } from '../../support/enquiries.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { anyState, openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';

const { at } = CHANGE_STAMP;

describeContract((engine) => {
  describe('enquiries', () => {
    let petId: bigint;
    const subject = forEachTest(() => openSubject(engine));
    beforeEach(async () => {
      petId = await addListed(subject.storage);
    });

    const enquiries = () => subject.storage.enquiries;
    const add = () => addEnquiry(subject.storage, { petId });
    const addPerson = async (name: string, role: Role = 'volunteer') => {
      const email = `${name}@example.org`;
      const { invitation } = issueInvitation(at);
      return (await subject.storage.people.create({ name, email, role }, CHANGE_STAMP, invitation))
        .id;
    };

    test('have a note and somebody who takes care of them, by whom they are found', async () => {
      const [ada, kim] = [await addPerson('Ada'), await addPerson('Kim', 'manager')];
      const [first, second, third] = [await add(), await add(), await add()];
      const change = async (id: bigint, parts: EnquiryChange) =>
        await enquiries().update(id, parts, CHANGE_STAMP, anyState);
      const written = { ownerId: ada, note: 'Called back.\nThey come on Saturday.' };
      expect(await change(first, written)).toMatchObject({ ...written, ownerName: 'Ada' });
      await change(second, { ownerId: kim });
      await subject.reopen();
      expect(await enquiries().find(first)).toMatchObject({
        ...written,
        ...{ ownerName: 'Ada', status: 'new' },
      });
      const found = async (query: EnquiryQuery) =>
        (await enquiries().list(query, { afterId: undefined, limit: 9 })).items.map(({ id }) => id);
      expect(await found({ ownerId: ada })).toEqual([first]);
      expect(await found({ ownerId: 'none' })).toEqual([third]);
      expect(await found({ words: ['saturday', 'called'] })).toEqual([first]);
      // What an adoption takes from it leaves both.
      await enquiries().order(first, CHANGE_STAMP);
      expect(await enquiries().find(first)).toMatchObject(written);
      expect(await change(first, { ownerId: null, note: null })).toMatchObject({
        ...{ ownerId: undefined, ownerName: undefined, note: undefined, status: 'answered' },
      });
      expect(await found({ ownerId: 'none' })).toEqual([third, first]);
    });

    test('are taken care of by those alone who work here and may write', async () => {
      const [viewer, removed] = [await addPerson('Ada', 'viewer'), await addPerson('Kim')];
      await subject.storage.people.remove(removed, CHANGE_STAMP, anyState);
      const id = await add();
      for (const ownerId of [viewer, removed, 99n, 0n, -1n]) {
        const refused = async () =>
          await enquiries().update(id, { ownerId, note: 'x' }, CHANGE_STAMP, anyState);
        await expect(refused()).rejects.toMatchObject({ code: 'person_not_found' });
      }
      expect(await enquiries().find(id)).toMatchObject({ ownerId: undefined, note: undefined });
    });

    test('of somebody who was removed, or may write no more, name them and count as of nobody', async () => {
      const [ada, kim] = [await addPerson('Ada'), await addPerson('Kim')];
      const [first, second] = [await add(), await add()];
      const { people } = subject.storage;
      await enquiries().update(first, { ownerId: ada }, CHANGE_STAMP, anyState);
      await enquiries().update(second, { ownerId: kim }, CHANGE_STAMP, anyState);
      await people.remove(ada, CHANGE_STAMP, anyState);
      await people.update(kim, CHANGE_STAMP, (now) => ({ ...now, role: 'viewer' }));
      expect(await enquiries().find(first)).toMatchObject({ ownerId: ada, ownerName: 'Ada' });
      const { items } = await enquiries().list(
        { ownerId: 'none' },
        { afterId: undefined, limit: 9 },
      );
      expect(items.map(({ id }) => id)).toEqual([second, first]);
      // Who changes something else leaves the name.
      const changed = await enquiries().update(
        ...([first, { ownerId: ada, note: 'Gone' }, CHANGE_STAMP, anyState] as const),
      );
      expect(changed).toMatchObject({ ownerName: 'Ada', note: 'Gone' });
    });

    test('leave a line in the audit, with who takes care of them and without the note', async () => {
      const ada = await addPerson('Ada');
      const id = await add();
      const change = { ownerId: ada, note: 'a private marker' };
      await enquiries().update(id, change, CHANGE_STAMP, anyState);
      await enquiries().update(id, change, CHANGE_STAMP, anyState);
      await subject.storage.optimize();
      const page = { afterId: undefined, limit: 9 };
      const { items } = await subject.storage.audit.list({ type: 'enquiry.updated' }, page);
      expect(items.map(({ changes }) => changes)).toEqual([
        { ownerId: [null, ada], ownerName: [null, 'Ada'], note: true },
      ]);
      const rows = await subject.database.sql('SELECT data, changed FROM changes');
      expect(JSON.stringify(rows)).not.toContain('marker');
    });
  });
});
