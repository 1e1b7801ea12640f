import { afterEach, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { inspectMail } from '../../src/doctor/examine.ts';
import { unavailable } from '../../src/domain/failure.ts';
import { MAIL_PAUSE_MS, MAIL_WAITS_MS } from '../../src/domain/mail.ts';
import { openSubject, type Subject } from '../storage/subject.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { eventually, eventuallyIs } from '../support/eventually.ts';
import { refusal, startReceiver } from './receiver.ts';
import { createSending, header, ROOT, type Sending, type StartedMails } from './sending.ts';

setDefaultTimeout(60_000);

let sending: Sending;
let subject: Subject;
let clock: TestClock;
let log: string[];
beforeEach(async () => {
  subject = await openSubject(chosenEngine());
  clock = createTestClock();
  sending = createSending(clock);
  log = sending.log;
});
afterEach(async () => {
  await sending.end();
  await subject[Symbol.asyncDispose]();
});

const mail = (smtp: string, { storage }: Pick<Subject, 'storage'> = subject) =>
  sending.start(smtp, storage);
const enquire = (parts = {}) => addEnquiry(subject.storage, parts, clock.now());
const failures = (mailer: StartedMails, count: number) =>
  eventually(mailer.report, ({ failed }) => failed >= count);
/** Jitter is at most a tenth. */
const waitMs = (attempts: number) => 1.1 * (MAIL_WAITS_MS[attempts - 1] ?? 0) + 1;
const isDue = () => subject.storage.mails.isDue(clock.now());

describe('a mail about an enquiry', () => {
  test('goes to staff alone, with what was written, where the animal is and where to answer', async () => {
    await using receiver = await startReceiver();
    mail(receiver.url);
    const petId = await addListed(subject.storage, 'Rex');
    await enquire({ petId, name: 'Robin Miller', telephone: '123', message: 'One.\nFrom: two' });
    await eventuallyIs(() => receiver.mails.length, 1);
    const [{ to, raw } = { to: [], raw: '' }] = receiver.mails;
    expect(to).toEqual(['staff@shop.example', 'two@shop.example']);
    expect(header(raw, 'Subject')).toBe('Enquiry about Rex from Robin Miller');
    expect(header(raw, 'Reply-To')).toContain('<robin@example.com>');
    expect(header(raw, 'Content-Type')).toContain('text/plain');
    expect(raw).toContain(`Rex: ${ROOT}/adopt/${petId}\r\n`);
    expect(raw).toContain('From: Robin Miller (robin@example.com, 123)\r\n> One.\r\n> From: two');
    expect(raw).toContain(`${ROOT}/console/enquiries`);
    await eventuallyIs(() => log.join(), 'a mail was sent');
  });

  test('has no header that somebody else wrote', async () => {
    await using receiver = await startReceiver();
    mail(receiver.url);
    // No form lets these in: the mail must hold by itself.
    const petId = await addListed(subject.storage, 'Rex\r\nBcc: one@evil.example');
    await enquire({
      petId,
      name: 'Robin\r\nBcc: two@evil.example\u2028x',
      email: 'a@b.example>\r\nBcc: <c@d.example',
    });
    await eventuallyIs(() => receiver.mails.length, 1);
    const [{ to, raw } = { to: [], raw: '' }] = receiver.mails;
    expect(to).toEqual(['staff@shop.example', 'two@shop.example']);
    expect(raw.slice(0, raw.indexOf('\r\n\r\n'))).not.toMatch(/^Bcc/im);
  });

  test('names nobody else as the one who gets the answer', async () => {
    await using receiver = await startReceiver();
    mail(receiver.url);
    await enquire({ name: 'Zoë, two <two@evil.example>' });
    await eventuallyIs(() => receiver.mails.length, 1);
    const name = header(receiver.mails[0]?.raw ?? '', 'Reply-To').replaceAll(
      /\?=\s+=\?UTF-8\?Q\?/g,
      '',
    );
    // Some programs decode the name first, and look for addresses in it then.
    for (const code of ['=2C', '=3C', '=40', '=3E']) expect(name).not.toContain(code);
    expect(name).toEndWith('<robin@example.com>');
  });

  test('sums up what came meanwhile, in a flood', async () => {
    await using receiver = await startReceiver();
    mail(receiver.url);
    await enquire();
    await eventuallyIs(() => receiver.mails.length, 1);
    const petId = await addListed(subject.storage);
    for (let n = 0; n < 30; n++) await enquire({ petId });
    expect(await isDue()).toBe(false);
    clock.advance(MAIL_PAUSE_MS);
    await eventuallyIs(() => receiver.mails.length, 2);
    const raw = receiver.mails[1]?.raw ?? '';
    expect(header(raw, 'Subject')).toBe('30 new enquiries');
    expect(header(raw, 'Reply-To')).toBe('');
    expect(raw).toContain('And 10 more.');
    clock.advance(MAIL_PAUSE_MS);
    // It is noted as sent a moment after it has arrived.
    await eventuallyIs(() => isDue(), false);
  });

  test('is sent once although its attempt cannot be stored at first', async () => {
    await using receiver = await startReceiver();
    const { mails } = subject.storage;
    let calls = 0;
    const record: typeof mails.record = (...attempt) => {
      if (calls++ < 2) throw unavailable(new Error('the database is away'));
      return mails.record(...attempt);
    };
    mail(receiver.url, { storage: { ...subject.storage, mails: { ...mails, record } } });
    await enquire();
    await eventually(isDue, (due) => !due && calls > 2);
    expect(receiver.mails).toHaveLength(1);
  });

  test('is sent once by two processes', async () => {
    await using receiver = await startReceiver();
    await using another = await subject.another();
    const [one, two] = [mail(receiver.url), mail(receiver.url, another as Subject)];
    for (let n = 1; n <= 4; n++) {
      await enquire();
      await eventuallyIs(() => one.report().sent + two.report().sent, n);
      clock.advance(MAIL_PAUSE_MS);
    }
    expect(receiver.mails).toHaveLength(4);
  });
});

describe('a mail server that', () => {
  test('is down gets the mail when it is back, with waits between', async () => {
    const gone = await startReceiver();
    await gone[Symbol.asyncDispose]();
    const mailer = mail(gone.url);
    await enquire({ name: 'a private marker' });
    await failures(mailer, 1);
    await eventually(
      () => log.length,
      (count) => count > 0,
    );
    await eventually(isDue, (due) => !due);
    const [before = 0] = MAIL_WAITS_MS;
    expect(await subject.storage.mails.isDue(clock.now() + before - 1)).toBe(false);
    clock.advance(waitMs(1));
    await failures(mailer, 2);
    await eventually(isDue, (due) => !due);
    await using receiver = await startReceiver(undefined, undefined, gone.port);
    clock.advance(waitMs(2));
    await eventually(mailer.report, ({ sent }) => sent === 1);
    expect(receiver.mails).toHaveLength(1);
    expect(log.join()).toContain('it cannot be reached');
    expect(log.join()).not.toMatch(/private|@/);
  });

  test('is down gets the mail at a start, before the wait is over', async () => {
    const gone = await startReceiver();
    await gone[Symbol.asyncDispose]();
    const first = mail(gone.url);
    await enquire();
    await failures(first, 1);
    await sending.end();
    await using receiver = await startReceiver();
    await eventually(mail(receiver.url).report, ({ sent }) => sent === 1);
    expect(receiver.mails).toHaveLength(1);
  });

  test.each([421, 451, 550, 554])('answers with %d gets the same mail again', async (code) => {
    let answers = 0;
    const names: string[] = [];
    await using receiver = await startReceiver(() => (++answers === 1 ? refusal(code) : undefined));
    const mailer = mail(receiver.url);
    await enquire();
    await failures(mailer, 1);
    await eventually(
      () => log.length,
      (count) => count > 0,
    );
    expect(log.join()).toContain(`it answers with ${code}`);
    await eventually(isDue, (due) => !due);
    clock.advance(waitMs(1));
    await eventually(mailer.report, ({ sent }) => sent === 1);
    for (const { raw } of receiver.mails) names.push(header(raw, 'Message-ID'));
    expect(names).toEqual([expect.stringMatching(/^<[0-9a-f-]{36}@shop\.example>$/)]);
  });

  test('answers late is waited for, and no other process sends meanwhile', async () => {
    const slow = Promise.withResolvers<undefined>();
    await using receiver = await startReceiver(() => slow.promise);
    await using another = await subject.another();
    const [one, two] = [mail(receiver.url), mail(receiver.url, another as Subject)];
    await enquire();
    await eventually(
      () => receiver.connections(),
      (count) => count > 0,
    );
    clock.advance(MAIL_PAUSE_MS);
    await Bun.sleep(2_000);
    slow.resolve(undefined);
    await eventuallyIs(() => one.report().sent + two.report().sent, 1);
    expect([receiver.mails.length, receiver.connections()]).toEqual([1, 1]);
  });

  test('never takes the mail is given up after days, and gets the next one', async () => {
    let answer: Error | undefined = refusal(554);
    await using receiver = await startReceiver(() => answer);
    const mailer = mail(receiver.url);
    await enquire();
    await failures(mailer, 1);
    for (let n = 1; mailer.report().given_up === 0; n++) {
      await eventually(isDue, (due) => !due);
      clock.advance(waitMs(n));
      await eventually(
        () => mailer.report(),
        ({ failed, given_up }) => failed > n || given_up === 1,
      );
    }
    expect(mailer.report().failed).toBe(MAIL_WAITS_MS.length + 1);
    answer = undefined;
    await enquire();
    await eventually(mailer.report, ({ sent }) => sent === 1);
    expect(receiver.mails).toHaveLength(1);
  });

  test('has a certificate of nobody known gets nothing', async () => {
    await using receiver = await startReceiver(undefined, { secure: true, authOptional: true });
    const mailer = mail(receiver.url);
    await enquire();
    await failures(mailer, 1);
    expect(receiver.mails).toEqual([]);
    const [finding] = await inspectMail(receiver.url);
    expect(finding?.verdict).toBe('bad');
  });
});

describe('a process that dies', () => {
  test('after it has sent the mail makes it sent twice, with one Message-ID', async () => {
    await using receiver = await startReceiver();
    const { storage } = subject;
    const never = () => new Promise<never>(() => {});
    const dying = { ...storage, mails: { ...storage.mails, record: never } };
    mail(receiver.url, { storage: dying });
    await enquire();
    await eventuallyIs(() => receiver.mails.length, 1);
    await sending.end();
    await eventually(mail(receiver.url).report, ({ sent }) => sent === 1);
    const [one, two] = receiver.mails.map(({ raw }) => header(raw, 'Message-ID'));
    expect(one).toBe(two as string);
  });
});

test('the doctor can sign in to a mail server, or says what is wrong', async () => {
  await using receiver = await startReceiver(undefined, {
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: ({ password }, _, callback) =>
      password === 'p@ss' ? callback(null, { user: 'me' }) : callback(refusal(535)),
  });
  const as = (password: string) => receiver.url.replace('//', `//me:${password}@`);
  expect((await inspectMail(as('p%40ss')))[0]).toMatchObject({ verdict: 'good', area: 'mail' });
  const [wrong] = await inspectMail(as('other'));
  expect(wrong).toMatchObject({ verdict: 'bad' });
  expect(JSON.stringify(wrong)).not.toContain('other');
});
