import { beforeEach, describe, expect, test } from 'bun:test';
import {
  ALERT_PAUSE_MS,
  CONFIRM_MS,
  LISTED_FOR_MS,
  type NewAlert,
} from '../../../src/domain/alert.ts';
import { DAY_MS, HOUR_MS } from '../../../src/domain/clock.ts';
import { SENT_MAX } from '../../../src/domain/enquiry.ts';
import { CAUSED_MAX, MAIL_PAUSE_MS, type Mail } from '../../../src/domain/mail.ts';
import { CHANGE_STAMP } from '../../support/change-stamp.ts';
import { addEnquiry, addListed } from '../../support/enquiries.ts';
import { forEachTest } from '../../support/lifetime.ts';
import { openSubject } from '../subject.ts';
import { describeContract } from './contract.ts';
import { newTerm } from './delivery-states.ts';

describeContract((engine) => {
  let term: bigint;
  let at: number;
  let names: number;
  const subject = forEachTest(() => openSubject(engine));
  beforeEach(async () => {
    term = await newTerm(subject.storage);
    [at, names] = [CHANGE_STAMP.at, 0];
  });

  const mails = () => subject.storage.mails;
  const alerts = () => subject.storage.alerts;
  const pending = async (now = at): Promise<readonly Mail[]> =>
    (await mails().pending(now, 100))?.next ?? [];
  async function record(mail: Mail | undefined, parts = {}, now = at, by = term) {
    const attempt = { id: mail?.id ?? 0n, attempts: 1, nextAttemptAt: null, at: now };
    const done = { status: 'delivered', isRefused: false, toldUpTo: undefined } as const;
    return await mails().record(by, { ...attempt, ...done, ...parts }, false);
  }
  const copyFor = (receiver: string, sender = `sender ${++names}`) => ({
    sender,
    copy: { name: `copy ${++names}`, receiver },
  });
  const alertOf = (parts: Partial<NewAlert> = {}): NewAlert => ({
    ...{ name: `alert ${++names}`, email: 'robin@example.com', search: 'species=dog' },
    ...{ language: 'en', mailName: `mail ${names}`, receiver: `receiver ${names}` },
    sender: `sender ${names}`,
    ...parts,
  });

  describe('mails', () => {
    test('to staff are made of what came since, with a pause, and are sent by the leader alone', async () => {
      expect(await mails().isDue(at)).toBe(false);
      const ids = [await addEnquiry(subject.storage), await addEnquiry(subject.storage)];
      await mails().collect(term - 1n, 'of an old term', at);
      expect(await pending()).toEqual([]);
      await mails().collect(term, 'first', at);
      await mails().collect(term, 'second', at);
      const [mail, ...more] = await pending();
      expect([mail?.name, mail?.kind, more]).toEqual(['first', 'enquiries', []]);
      const { count, quoted } = await mails().content(mail as Mail);
      expect([count, quoted.map(({ id }) => id)]).toEqual([2, ids]);
      expect(await record(mail, {}, at, term - 1n)).toBe(false);
      expect(await record(mail)).toBe(true);
      await addEnquiry(subject.storage);
      expect(await mails().isDue(at)).toBe(false);
      expect(await mails().isDue(at + MAIL_PAUSE_MS)).toBe(true);
      await mails().collect(term, 'third', at + MAIL_PAUSE_MS);
      expect(await pending(at + MAIL_PAUSE_MS)).toMatchObject([{ name: 'third' }]);
    });

    test('wait for their next attempt, unless all are tried again', async () => {
      await addEnquiry(subject.storage);
      await mails().collect(term, 'one', at);
      const nextAttemptAt = at + HOUR_MS;
      await record((await pending())[0], { status: 'pending', nextAttemptAt });
      expect(await mails().isDue(at)).toBe(false);
      expect(await pending()).toMatchObject([{ attempts: 1, nextAttemptAt }]);
      await mails().retryAll(term);
      expect(await pending()).toMatchObject([{ attempts: 1, nextAttemptAt: null }]);
      await record((await pending())[0]);
      expect(await mails().forget(at - 1, 10)).toBe(0);
      expect(await mails().forget(at, 10)).toBe(1);
    });

    test('that strangers cause come to an address an hour apart, at most three in a day', async () => {
      await using another = await subject.another();
      const send = (n: number) => {
        const { storage } = n % 2 === 0 ? subject : another;
        return addEnquiry(storage, copyFor('robin'), at);
      };
      await Promise.all(Array.from({ length: 10 }, (_, n) => send(n)));
      await alerts().request(alertOf({ receiver: 'robin' }), at);
      const caused = async (now: number) =>
        (await pending(now))
          .filter(({ kind }) => kind !== 'enquiries')
          .map((mail) => mail.createdAt);
      expect(await caused(at)).toEqual([at, at + HOUR_MS, at + 2 * HOUR_MS]);
      expect((await pending())[0]).toMatchObject({ kind: 'copy', nextAttemptAt: null });
      const next = at + 2 * HOUR_MS + DAY_MS;
      await alerts().request(alertOf({ receiver: 'robin' }), next);
      expect((await pending(next)).at(-1)).toMatchObject({
        kind: 'confirm_alert',
        createdAt: next,
      });
    });

    test('that strangers cause are few for each visitor, and in all', async () => {
      for (let n = 0; n < CAUSED_MAX.byVisitor + 3; n++) {
        await addEnquiry(subject.storage, copyFor(`receiver ${n}`, 'one visitor'), at);
        await alerts().request(alertOf({ sender: 'one visitor' }), at);
      }
      expect(await pending()).toHaveLength(CAUSED_MAX.byVisitor);
      for (let n = 0; n < CAUSED_MAX.inHour; n++) await alerts().request(alertOf(), at);
      expect((await mails().pending(at, 1_000))?.count).toBe(CAUSED_MAX.inHour);
    });

    test('copy no enquiry that may be spam, or has no address', async () => {
      await addEnquiry(subject.storage, { ...copyFor('a'), suspected: true }, at);
      await addEnquiry(
        subject.storage,
        { ...copyFor('b'), email: undefined, telephone: '123' },
        at,
      );
      expect(await pending()).toEqual([]);
      const id = await addEnquiry(subject.storage, copyFor('c'), at);
      const [mail] = await pending();
      expect((await mails().content(mail as Mail)).quoted).toMatchObject([
        { id, petName: 'Chloe' },
      ]);
    });
  });

  describe('alerts', () => {
    async function confirmed(parts: Partial<NewAlert> = {}, now = at) {
      const alert = alertOf(parts);
      await alerts().request(alert, now);
      const found = await alerts().confirm(alert.name, now);
      for (const mail of await pending(now)) await record(mail, {}, now);
      if (found === undefined) throw new Error('not confirmed');
      return found;
    }
    const dueIds = async (now: number) => (await alerts().due(now, 9)).alerts.map(({ id }) => id);

    test('last until their confirmation is late, once and for a year', async () => {
      const [early, late] = [alertOf(), alertOf()];
      await alerts().request(early, at);
      await alerts().request(late, at);
      expect(await alerts().find(early.name, at)).toMatchObject({ confirmedAt: null, seenAt: at });
      const end = at + CONFIRM_MS;
      expect(await alerts().confirm(early.name, end - 1)).toMatchObject({ confirmedAt: end - 1 });
      expect(await alerts().confirm(early.name, end - 1)).toBeUndefined();
      expect(await alerts().confirm(late.name, end)).toBeUndefined();
      expect(await alerts().removeEnded(end, 10)).toBe(1);
      const year = end - 1 + 365 * DAY_MS;
      expect(await alerts().find(early.name, year - 1)).toBeDefined();
      expect(await alerts().find(early.name, year)).toBeUndefined();
      expect(await alerts().removeEnded(year, 10)).toBe(1);
      expect(await subject.database.sql('SELECT * FROM alerts')).toEqual([]);
    });

    test('are counted by search, with no addresses', async () => {
      await confirmed();
      await confirmed({ email: 'kim@example.com' });
      await alerts().request(alertOf({ search: '' }), at);
      expect(await alerts().counts(at, 10)).toEqual([
        { search: 'species=dog', confirmed: 2, waiting: 0 },
        { search: '', confirmed: 0, waiting: 1 },
      ]);
      expect(await alerts().counts(at, 1)).toHaveLength(1);
    });

    test('of an address for one search are one, and five in all', async () => {
      const first = await confirmed();
      await confirmed();
      expect(await alerts().find(first.name, at)).toBeUndefined();
      for (let n = 0; n < 6; n++) await confirmed({ search: `q=${n}` }, at + n);
      const searches = (await alerts().counts(at, 10)).map(({ search }) => search);
      expect(searches).toEqual(['q=1', 'q=2', 'q=3', 'q=4', 'q=5']);
    });

    test('are refused to a visitor with too many, who causes no more mails', async () => {
      const results: boolean[] = [];
      for (let n = 0; n <= SENT_MAX.byAddressRefused; n++) {
        results.push(await alerts().request(alertOf({ sender: 'one' }), at));
      }
      expect(results.indexOf(false)).toBe(SENT_MAX.byAddressRefused);
      expect(await alerts().counts(at, 10)).toMatchObject([{ waiting: CAUSED_MAX.byVisitor }]);
    });

    test('are due when an animal was listed since, and a day after the last mail', async () => {
      const seen = await confirmed({}, at - HOUR_MS);
      await addListed(subject.storage);
      const now = at + LISTED_FOR_MS;
      const { alerts: found, upTo } = await alerts().due(now, 9);
      expect(found).toEqual([{ id: seen.id, search: 'species=dog', seenAt: seen.seenAt }]);
      expect(await mails().isDue(now)).toBe(true);
      await alerts().examined(term, [{ id: seen.id, mailName: 'news' }], [], upTo, now);
      expect(await dueIds(now)).toEqual([]);
      const [mail] = await pending(now);
      expect((await mails().content(mail as Mail)).alert).toMatchObject({ id: seen.id });
      // Nothing is new a day after it was sent; then something is.
      await record(mail, { toldUpTo: upTo }, now);
      expect(await dueIds(now + ALERT_PAUSE_MS)).toEqual([]);
      await subject.database.sql(`UPDATE alerts SET seen_at = seen_at - 1`);
      expect(await dueIds(now + ALERT_PAUSE_MS - 1)).toEqual([]);
      expect(await dueIds(now + ALERT_PAUSE_MS)).toEqual([seen.id]);
      await alerts().examined(term, [], [seen.id], upTo, now);
      expect(await dueIds(now + ALERT_PAUSE_MS)).toEqual([]);
    });

    test('end with their address when the server refuses it for good, and when somebody ends them', async () => {
      const [one, two] = [alertOf(), alertOf()];
      await alerts().request(one, at);
      await alerts().request(two, at);
      const [mail] = await pending();
      await record(mail, { status: 'failed', isRefused: true });
      expect(await alerts().find(one.name, at)).toBeUndefined();
      expect(await alerts().find(two.name, at)).toBeDefined();
      await alerts().end(two.name);
      expect(await subject.database.sql('SELECT * FROM alerts')).toEqual([]);
    });
  });
});
