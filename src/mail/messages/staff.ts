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
  channelProblem: (problem: string) =>
    /^The (?:file|place|server) /.test(problem)
      ? problem
      : `It could not be sent.\nTechnical details: ${problem}`,
  channelNext: 'See what to do, or send it on purpose:',
};

/** What mails to staff say. Every language has all of it: the type of the others is that of English. */
type StaffMessages = typeof en;

/** Why a file was not sent. What another server has said follows a sentence that everybody understands. */
function problemInGerman(problem: string): string {
  const [, now, before] =
    /^The file has (\d+) \w+, and the one sent last had (\d+)/.exec(problem) ?? [];
  if (now !== undefined) return `Sie hat ${now} Tiere, und die letzte hatte ${before}.`;
  if (/^The file has no animals/.test(problem)) return 'Sie hat keine Tiere.';
  if (/^The place refuses/.test(problem)) {
    return 'Benutzer oder Passwort werden dort nicht angenommen.';
  }
  if (/^The server has another key/.test(problem)) {
    return 'Der Server hat einen anderen Schlüssel als vorher. Fragen Sie dort nach, ob das stimmt.';
  }
  return `Sie konnte nicht übertragen werden.\nTechnische Angabe: ${problem}`;
}

const de: StaffMessages = {
  spam: 'Das hier ist vielleicht Spam:',
  more: (n) => `Und ${n} weitere.`,
  answer: 'Antworten, schließen oder die Vermittlung beginnen:',
  animal: (id) => `Tier ${id}`,
  subject: (animal, name) => `Anfrage zu ${animal} von ${name}`,
  subjectOfSeveral: (n) => `${n} neue Anfragen`,
  from: 'Von:',

  channelSubject: (host) => `Die Datei mit Tieren für ${host} wurde nicht gesendet`,
  channelProblem: problemInGerman,
  channelNext: 'Sehen Sie nach, was zu tun ist, oder senden Sie sie trotzdem:',
};

export const STAFF_MESSAGES: Readonly<Record<StaffLanguage, StaffMessages>> = { en, de };
