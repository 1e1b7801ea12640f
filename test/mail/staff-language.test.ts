import { afterEach, beforeEach, expect, setDefaultTimeout, test } from 'bun:test';
import { MAIL_PAUSE_MS, MAIL_WAITS_MS } from '../../src/domain/mail.ts';
import { issueInvitation, type StaffLanguage } from '../../src/domain/person.ts';
import { openSubject, type Subject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { chosenEngine } from '../support/engines.ts';
import { addEnquiry, addListed } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { refusal, startReceiver } from './receiver.ts';
import { createSending, header, type Sending, textOf } from './sending.ts';

setDefaultTimeout(60_000);

let sending: Sending;
let subject: Subject;
let clock: TestClock;
beforeEach(async () => {
  subject = await openSubject(chosenEngine());
  clock = createTestClock();
  sending = createSending(clock);
});
afterEach(async () => {
  await sending.end();
  await subject[Symbol.asyncDispose]();
});

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

const enquire = async () => {
  const petId = await addListed(subject.storage, 'Rex');
  await addEnquiry(subject.storage, { petId, name: 'Robin' }, clock.now());
};
const arrived = ({ mails }: Receiver, count: number) =>
  eventually(
    () => mails.length,
    (now) => now >= count,
  );
const subjects = ({ mails }: Receiver) =>
  Object.fromEntries(mails.map(({ to, raw }) => [to.join(), header(raw, 'Subject')]));

/** Adds somebody who has chosen a language. Addresses are compared without their case. */
async function addReader(email: string, language: StaffLanguage | null) {
  const { people } = subject.storage;
  const { invitation } = issueInvitation(clock.now());
  const { id } = await people.create(
    { name: 'Maria', email, role: 'volunteer' },
    CHANGE_STAMP,
    invitation,
  );
  await people.update(id, CHANGE_STAMP, (now) => ({ ...now, language }));
  return id;
}

const ENGLISH = 'Enquiry about Rex from Robin';
const GERMAN = 'Anfrage zu Rex von Robin';

test('each of staff gets the language that they have chosen, others that of the shop', async () => {
  await using receiver = await startReceiver();
  const id = await addReader('Two@shop.example', 'de');
  sending.start(receiver.url, subject.storage);
  await enquire();
  await arrived(receiver, 2);
  expect(subjects(receiver)).toEqual({
    'staff@shop.example': ENGLISH,
    'two@shop.example': GERMAN,
  });
  const ids = receiver.mails.map(({ raw }) => header(raw, 'Message-ID'));
  expect(new Set(ids).size).toBe(2);
  const text = textOf(receiver.mails[1]?.raw ?? '');
  expect(text).toMatch(/^Rex: .*\nVon: Robin \(robin@example.com\)\n> May we visit her\?/);
  expect(text).toContain('Antworten, schließen oder die Vermittlung beginnen:');

  const { shop, people } = subject.storage;
  await shop.update({ language: 'de-AT' }, CHANGE_STAMP, () => {});
  await people.update(id, CHANGE_STAMP, (now) => ({ ...now, language: 'en' }));
  receiver.mails.length = 0;
  clock.advance(MAIL_PAUSE_MS);
  await enquire();
  await arrived(receiver, 2);
  expect(subjects(receiver)).toEqual({
    'staff@shop.example': GERMAN,
    'two@shop.example': ENGLISH,
  });

  // Of somebody who was removed nothing is known.
  await people.remove(id, CHANGE_STAMP, () => {});
  receiver.mails.length = 0;
  clock.advance(MAIL_PAUSE_MS);
  await enquire();
  await arrived(receiver, 1);
  expect(subjects(receiver)).toEqual({ 'staff@shop.example,two@shop.example': GERMAN });
});

test('who has got theirs gets no second one while another language is tried again', async () => {
  let isBroken = true;
  let sent = 0;
  await using receiver = await startReceiver(() =>
    ++sent > 1 && isBroken ? refusal(451) : undefined,
  );
  const id = await addReader('two@shop.example', 'de');
  const mailer = sending.start(receiver.url, subject.storage);
  await enquire();
  await eventually(mailer.report, ({ failed }) => failed === 1);
  expect(subjects(receiver)).toEqual({ 'staff@shop.example': ENGLISH });
  // Another choice meanwhile leaves nobody out.
  await subject.storage.people.update(id, CHANGE_STAMP, (now) => ({ ...now, language: 'en' }));
  isBroken = false;
  clock.advance(1.1 * (MAIL_WAITS_MS[0] ?? 0) + 1);
  await arrived(receiver, 2);
  await eventually(mailer.report, (report) => report.sent === 1);
  expect(receiver.mails.map(({ to }) => to.join())).toEqual([
    'staff@shop.example',
    'two@shop.example',
  ]);
  expect(subjects(receiver)['two@shop.example']).toBe(ENGLISH);
});
