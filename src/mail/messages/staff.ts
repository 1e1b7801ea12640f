import type { StaffLanguage } from '../../domain/person.ts';

const en = {
  spam: 'These may be spam:',
  more: (n: number) => `And ${n} more.`,
  answer: 'Answer, close or start the adoption:',
  animal: (id: bigint) => `animal ${id}`,
  subject: (animal: string, name: string) => `Enquiry about ${animal} from ${name}`,
  subjectOfSeveral: (n: number) => `${n} new enquiries`,
  from: 'From:',

  channelSubject: (host: string) => `The file of animals for ${host} was not sent`,
  channelProblem: (problem: string) => problem,
  channelNext: 'See what to do, or send it on purpose:',
};

/** What mails to staff say. Every language has all of it: the type of the others is that of English. */
type StaffMessages = typeof en;

const de: StaffMessages = {
  spam: 'Das hier ist vielleicht Spam:',
  more: (n) => `Und ${n} weitere.`,
  answer: 'Antworten, schließen oder die Vermittlung beginnen:',
  animal: (id) => `Tier ${id}`,
  subject: (animal, name) => `Anfrage zu ${animal} von ${name}`,
  subjectOfSeveral: (n) => `${n} neue Anfragen`,
  from: 'Von:',

  channelSubject: (host) => `Die Datei mit Tieren für ${host} wurde nicht gesendet`,
  // Most of it is what another server has said.
  channelProblem: (problem) => `Meldung des Dienstes: ${problem}`,
  channelNext: 'Sehen Sie nach, was zu tun ist, oder senden Sie sie trotzdem:',
};

export const STAFF_MESSAGES: Readonly<Record<StaffLanguage, StaffMessages>> = { en, de };
