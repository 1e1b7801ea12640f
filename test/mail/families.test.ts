import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { NewAlert } from '../../src/domain/alert.ts';
import { HOUR_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { openSubject, type Subject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { refusal, startReceiver } from './receiver.ts';
import { createSending, header, ROOT, type Sending, textOf } from './sending.ts';

setDefaultTimeout(60_000);

let subject: Subject;
let clock: TestClock;
let sending: Sending;
beforeEach(async () => {
  subject = await openSubject(chosenEngine());
  clock = createTestClock();
  sending = createSending(clock);
});
afterEach(async () => {
  await sending.end();
  await subject[Symbol.asyncDispose]();
});

const open = { authOptional: true, disabledCommands: ['STARTTLS'] };
const start = (url: string) => sending.start(url, subject.storage);
const copy = { name: 'copy', receiver: 'robin' };
const waiting = () => subject.database.sql(`SELECT kind FROM mails WHERE status = 'pending'`);

async function askFor(parts: Partial<NewAlert> = {}): Promise<string> {
  const name = parts.name ?? 'n'.repeat(22);
  await subject.storage.alerts.request(
    {
      ...{ name, email: 'robin@example.com', search: 'species=dog', language: 'en' },
      ...{ mailName: `mail ${name}`, receiver: `receiver ${name}`, sender: 'somebody' },
      ...parts,
    },
    clock.now(),
  );
  return name;
}
const alertOf = (name: string) => subject.storage.alerts.find(name, clock.now());

describe('the copy of an enquiry', () => {
  test.each([
    ['en', 'Your message about Rex', 'If it is urgent, call us: 01392 496000'],
    ['de', 'Ihre Nachricht zu Rex', 'Wenn es eilt, rufen Sie uns an: 01392 496000'],
    ['es', 'Tu mensaje sobre Rex', 'Si es urgente, llámanos: 01392 496000'],
  ])('says in %s what happens next, and when it is erased', async (language, subjectLine, call) => {
    await using receiver = await startReceiver();
    const shop = { name: 'Riverside', telephone: '01392 496000', email: 'hello@shop.example' };
    await subject.storage.shop.update(shop, CHANGE_STAMP, () => {});
    const petId = await addListed(subject.storage, 'Rex');
    const answers = [{ id: 'home', label: 'Where?', answer: 'A house' }];
    await addEnquiry(subject.storage, { petId, language, answers, copy }, clock.now());
    start(receiver.url);
    const mail = await eventually(
      () => receiver.mails.find(({ to }) => to.includes('robin@example.com')),
      (found) => found !== undefined,
    );
    const raw = mail?.raw ?? '';
    expect(mail?.to).toEqual(['robin@example.com']);
    expect(header(raw, 'From')).toBe('Riverside <staff@shop.example>');
    expect(header(raw, 'Reply-To')).toBe('hello@shop.example');
    expect(header(raw, 'Subject')).toBe(subjectLine);
    expect(header(raw, 'Content-Language')).toBe(language);
    expect(header(raw, 'Content-Type')).toStartWith('text/plain');
    const text = textOf(raw);
    expect(text).toContain(call);
    expect(text).toContain(`${ROOT}/adopt/${petId}?lang=${language}`);
    expect(text).toContain('> May we visit her?\n> On Saturday?\nWhere?\n> A house');
    expect(text).toContain('180');
  });

  test('is of no use for sending advertising to others, or for headers', async () => {
    await using receiver = await startReceiver();
    const petId = await addListed(subject.storage, 'Rex\r\nBcc: one');
    const message =
      'Win at https://evil.example/x or evil.example, write to a@evil.example.\nBcc: b';
    const name = 'Robin\r\nBcc: two@evil.example';
    await addEnquiry(subject.storage, { petId, name, message, copy }, clock.now());
    start(receiver.url);
    const mails = await eventually(
      () => receiver.mails,
      ({ length }) => length === 2,
    );
    const { raw = '' } = mails.find(({ to }) => to.includes('robin@example.com')) ?? {};
    expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^Bcc/im);
    expect(textOf(raw)).not.toContain('evil.example');
    expect(textOf(raw)).not.toContain('Robin');
    expect(mails.every(({ to }) => !to.join().includes('evil'))).toBe(true);
  });

  test('whose enquiry was erased meanwhile is not sent', async () => {
    await using receiver = await startReceiver();
    await addEnquiry(subject.storage, { copy }, clock.now());
    await subject.storage.enquiries.removeExpired(clock.now(), 10, CHANGE_STAMP);
    start(receiver.url);
    await eventually(waiting, ({ length }) => length === 0);
    expect([receiver.mails, sending.noted]).toEqual([[], []]);
  });
});

describe('a mail server that', () => {
  test.each([550, 551, 553])('refuses an address with %d ends its alert', async (responseCode) => {
    await using receiver = await startReceiver(undefined, {
      ...open,
      onRcptTo: ({ address }, _, callback) =>
        callback(address.startsWith('robin') ? refusal(responseCode) : null),
    });
    const name = await askFor();
    const other = await askFor({ name: 'o'.repeat(22), email: 'kim@example.com' });
    const mails = start(receiver.url);
    await eventually(mails.report, ({ refused, sent }) => refused === 1 && sent === 1);
    await eventuallyIs(() => alertOf(name), undefined);
    expect(await alertOf(other)).toBeDefined();
    expect(sending.log.join()).not.toContain('robin');
  });

  test.each([
    ['for a while', 'RCPT', refusal(451)],
    ['because of who sends', 'RCPT', refusal(550, '5.7.1 relaying denied')],
    ['what it says', 'DATA', refusal(554)],
  ])('refuses %s gets the mail again, and the alert stays', async (_, stage, error) => {
    let isRefusing = true;
    const answer = () => (isRefusing && stage === 'DATA' ? error : undefined);
    await using receiver = await startReceiver(answer, {
      ...open,
      onRcptTo: (__, ___, callback) => callback(isRefusing && stage === 'RCPT' ? error : null),
    });
    const name = await askFor();
    const mails = start(receiver.url);
    await eventually(mails.report, ({ failed }) => failed === 1);
    expect(await alertOf(name)).toBeDefined();
    isRefusing = false;
    await eventuallyIs(() => sending.noted.length, 1);
    clock.advance(MINUTE_MS);
    await eventually(mails.report, ({ sent }) => sent === 1);
    expect(sending.noted).toEqual([expect.stringContaining('it answers with'), undefined]);
  });

  test('goes away in the middle gets the same mail again', async () => {
    let drops = 1;
    await using receiver = await startReceiver(undefined, {
      ...open,
      onRcptTo(_, session, callback) {
        if (drops-- > 0) (session as { connection?: { close(): void } }).connection?.close();
        else callback();
      },
    });
    await askFor();
    const mails = start(receiver.url);
    await eventually(mails.report, ({ failed }) => failed === 1);
    await eventuallyIs(() => sending.noted.length, 1);
    clock.advance(MINUTE_MS);
    await eventually(mails.report, ({ sent }) => sent === 1);
    expect(receiver.mails.map(({ to }) => to)).toEqual([['robin@example.com']]);
  });

  test('is down for a day holds up no mail to others, and loses none', async () => {
    const gone = await startReceiver();
    await gone[Symbol.asyncDispose]();
    for (let n = 0; n < 5; n++) {
      await askFor({ name: `${n}`.repeat(22), email: `r${n}@example.com` });
    }
    const mails = start(gone.url);
    await eventually(mails.report, ({ failed }) => failed >= 5);
    for (let hour = 0; hour < 6; hour++) clock.advance(HOUR_MS);
    await using receiver = await startReceiver(undefined, undefined, gone.port);
    await eventually(
      () => receiver.mails.length,
      (count) => {
        clock.advance(MINUTE_MS);
        return count === 5;
      },
    );
    await eventually(waiting, ({ length }) => length === 0);
    expect(new Set(receiver.mails.map(({ to }) => to[0])).size).toBe(5);
  });

  test('is slow is left at once by a process that ends, and another sends the mail', async () => {
    const slow = Promise.withResolvers<undefined>();
    let isSlow = true;
    await using receiver = await startReceiver(() => (isSlow ? slow.promise : undefined));
    await askFor();
    start(receiver.url);
    await eventually(receiver.connections, (count) => count === 1);
    const began = performance.now();
    await sending.end();
    expect(performance.now() - began).toBeLessThan(10_000);
    isSlow = false;
    await eventually(start(receiver.url).report, ({ sent }) => sent === 1);
    slow.resolve(undefined);
  });
});
