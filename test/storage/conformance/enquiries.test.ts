import { beforeEach, describe, expect, test } from 'bun:test';
import { HOUR_MS } from '../../../src/domain/clock.ts';
import {
  type EnquiryQuery,
  type EnquiryStatus,
  SENT_MAX,
  TAKEN_IN_HOUR_MAX,
  WAITING_MAX,
} from '../../../src/domain/enquiry.ts';
import { issueInvitation } from '../../../src/domain/person.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { addEnquiry, addListed, letter } from '../../support/enquiries.ts';
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
    const add = (parts = {}, time = at) => addEnquiry(subject.storage, { petId, ...parts }, time);
    const addPerson = async (name: string) => {
      const email = `${name}@example.org`;
      const { invitation } = issueInvitation(at);
      const person = { name, email, role: 'volunteer' } as const;
      return (await subject.storage.people.create(person, CHANGE_STAMP, invitation)).id;
    };
    const setTo = async (id: bigint, status: EnquiryStatus) =>
      await enquiries().update(id, { status }, CHANGE_STAMP, anyState);
    const ids = async () => {
      const { items } = await enquiries().list({}, { afterId: undefined, limit: 2 });
      return items.map(({ id }) => Number(id));
    };

    test('are found by words in the letter or the name of the animal, the oldest first if asked', async () => {
      await subject.storage.pets.update(petId, { name: 'Łucja' }, CHANGE_STAMP, anyState);
      const other = await addListed(subject.storage, 'Rex');
      for (let n = 0; n < 5; n++) {
        await add({
          ...(n === 1 && { message: 'Wir haben einen GÄRTEN' }),
          ...(n === 3 && { petId: other, name: 'José Garten' }),
        });
      }
      const walk = async (query: EnquiryQuery) => {
        const found: number[] = [];
        let afterId: bigint | undefined;
        for (;;) {
          const page = await enquiries().list(query, { afterId, limit: 2 });
          found.push(...page.items.map(({ id }) => Number(id)));
          if (!page.more) return found;
          afterId = page.resumeAfter ?? page.items.at(-1)?.id;
        }
      };
      expect(await walk({ sort: 'oldest' })).toEqual([1, 2, 3, 4, 5]);
      expect(await walk({ words: ['garten'] })).toEqual([4, 2]);
      expect(await walk({ words: ['garten'], sort: 'oldest' })).toEqual([2, 4]);
      expect(await walk({ words: ['garten', 'jose'] })).toEqual([4]);
      expect(await walk({ words: ['lucja'], sort: 'oldest' })).toEqual([1, 2, 3, 5]);
      expect(await walk({ petId: other })).toEqual([4]);
      await setTo(2n, 'closed');
      expect(await walk({ words: ['garten'], status: 'closed' })).toEqual([2]);
    });

    test('of an animal that nobody sees are refused, and leave nothing', async () => {
      await subject.storage.profiles.update(petId, { published: false }, CHANGE_STAMP, anyState);
      expect(await enquiries().receive(letter(petId), at)).toBe('unlisted');
      expect(await ids()).toEqual([]);
    });

    test('of one person are marked after some within an hour, then refused, of many at once too', async () => {
      await using another = await subject.another();
      const send = async (time: number) => {
        const receipts = Array.from({ length: 50 }, async (_, n) => {
          const { storage } = n % 2 === 0 ? subject : another;
          return await storage.enquiries.receive(letter(petId, { pair: 'one' }), time);
        });
        return (await Promise.all(receipts)).filter((receipt) => receipt === 'received').length;
      };
      expect(await send(at)).toBe(SENT_MAX.refused);
      const marks = async (suspected: boolean) => {
        const page = { afterId: undefined, limit: 100 };
        return (await enquiries().list({ suspected }, page)).items.length;
      };
      expect([await marks(false), await marks(true)]).toEqual([5, 25]);
      expect(await enquiries().receive(letter(petId, { pair: 'one' }), at)).toBe('tooMany');
      expect(await enquiries().receive(letter(petId), at)).toBe('received');
      expect(await send(at + HOUR_MS)).toBe(SENT_MAX.refused);
    });

    test('of many people at one address are marked later, and refused much later', async () => {
      const receipts: string[] = [];
      for (let n = 0; n <= SENT_MAX.byAddressRefused; n++) {
        receipts.push(await enquiries().receive(letter(petId, { sender: 'wifi' }), at));
      }
      expect(receipts.indexOf('tooMany')).toBe(SENT_MAX.byAddressRefused);
      const { items } = await enquiries().list(
        { suspected: false },
        { afterId: undefined, limit: 100 },
      );
      expect(items).toHaveLength(SENT_MAX.byAddressMarked);
    });

    test('that came by a clock that was ahead refuse nobody when it is right again', async () => {
      const ahead = at + 400 * 24 * HOUR_MS;
      const send = (time: number) => enquiries().receive(letter(petId, { pair: 'one' }), time);
      for (let n = 0; n < SENT_MAX.refused; n++) expect(await send(ahead)).toBe('received');
      expect(await send(ahead)).toBe('tooMany');
      expect(await send(at)).toBe('received');
      expect(await send(ahead + HOUR_MS)).toBe('received');
    });

    test('that say the same within an hour are one', async () => {
      for (const time of [at, at + 1, at + HOUR_MS]) {
        expect(await enquiries().receive(letter(petId, { digest: 'same' }), time)).toBe('received');
      }
      expect(await ids()).toEqual([2, 1]);
    });

    test('that may be spam do not take the place of others', async () => {
      for (let n = 0; n < TAKEN_IN_HOUR_MAX; n++) {
        const spam = letter(petId, { suspected: true });
        expect(await enquiries().receive(spam, at)).toBe('received');
      }
      expect(await enquiries().receive(letter(petId, { suspected: true }), at)).toBe('full');
      expect(await enquiries().receive(letter(petId), at)).toBe('received');
    });

    test('are erased with who adopts: of an open adoption when it ends', async () => {
      const { orders } = subject.storage;
      const answers = [{ id: 'home', label: 'Where?', answer: 'Here' }];
      const adopt = async () => {
        const about = await addListed(subject.storage);
        const id = await addEnquiry(subject.storage, { petId: about, answers });
        return (await enquiries().order(id, CHANGE_STAMP))?.id ?? 0n;
      };
      const [done, open] = [await adopt(), await adopt()];
      await orders.update(done, { status: 'cancelled' }, CHANGE_STAMP, anyState);
      const nobody = {
        adopter: undefined,
        contact: undefined,
        note: undefined,
        answers: undefined,
      };
      expect(await orders.find(done)).toMatchObject({ adopter: 'Robin Álvarez' });
      expect(await enquiries().removeExpired(at, 10, CHANGE_STAMP)).toBe(2);
      expect(await orders.find(done)).toMatchObject({ status: 'cancelled', ...nobody });
      expect(await orders.find(open)).toMatchObject({ status: 'placed', adopter: 'Robin Álvarez' });
      await orders.update(open, { status: 'approved' }, CHANGE_STAMP, anyState);
      expect(await orders.find(open)).toMatchObject({ adopter: 'Robin Álvarez' });
      const ended = await orders.update(open, { status: 'completed' }, CHANGE_STAMP, anyState);
      expect(ended).toMatchObject({ status: 'completed', ...nobody });
      expect(await orders.find(open)).toEqual(ended);
    });

    test('are bounded by hour and in all, from however many addresses', async () => {
      let time = at;
      for (let n = 0; n < WAITING_MAX; n++) {
        if (n > 0 && n % TAKEN_IN_HOUR_MAX === 0) {
          expect(await enquiries().receive(letter(petId), time)).toBe('full');
          time += HOUR_MS;
        }
        expect(await enquiries().receive(letter(petId), time)).toBe('received');
      }
      time += HOUR_MS;
      expect(await enquiries().receive(letter(petId), time)).toBe('full');
      await setTo(1n, 'closed');
      expect(await enquiries().receive(letter(petId), time)).toBe('received');
    }, 120_000);

    test('for an animal that another took stay as they were', async () => {
      const [first, second] = [await add(), await add()];
      await enquiries().order(first, CHANGE_STAMP);
      const late = async () => await enquiries().order(second, CHANGE_STAMP);
      expect(late()).rejects.toThrow('only an available animal');
      expect(await enquiries().find(second)).toMatchObject({ status: 'new', orderId: undefined });
      expect(await enquiries().order(99n, CHANGE_STAMP)).toBeUndefined();
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

    test('outlive their animal, and are erased in steps when their time is over', async () => {
      for (let n = 0; n < 3; n++) await add({}, at + n);
      await subject.storage.pets.remove(petId, CHANGE_STAMP, anyState);
      expect(await ids()).toEqual([3, 2]);
      const erase = async (time: number) => await enquiries().removeExpired(time, 1, CHANGE_STAMP);
      expect([await erase(at + 1), await erase(at + 1), await erase(at + 1)]).toEqual([1, 1, 0]);
      expect(await ids()).toEqual([3]);
    });

    test('forget who sent them', async () => {
      await add({ sender: 'one' });
      await enquiries().forgetSent(at, at, 10);
      const rows = await subject.database.sql('SELECT sender FROM sent_forms');
      expect(rows).toEqual([]);
      expect(await ids()).toEqual([1]);
    });
  });
});
