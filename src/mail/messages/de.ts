import type { MailMessages } from './en.ts';

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

export const de: MailMessages = {
  hello: 'Guten Tag,',
  regards: (shop) => `Viele Grüße\n${shop}`,
  call: (telephone) => `Wenn es eilt, rufen Sie uns an: ${telephone}`,
  hours: 'Öffnungszeiten:',
  shelter: 'Tierheim',
  anAnimal: 'einem unserer Tiere',

  copySubject: (animal) => `Ihre Nachricht zu ${animal}`,
  copy: (animal) =>
    `danke für Ihre Nachricht zu ${animal}. Sie ist angekommen, und hier ist eine Kopie davon.`,
  copyNext: 'So geht es weiter:',
  next: [
    'Jemand von uns liest Ihre Nachricht.',
    'Wir schreiben Ihnen oder rufen Sie an und beantworten Ihre Fragen.',
    'Sie besuchen uns und lernen einander kennen.',
  ],
  wrote: 'Sie haben geschrieben:',
  withoutLinks: 'Adressen von Webseiten stehen nicht in dieser Kopie.',
  kept: (days) =>
    `Wir löschen Ihre Nachricht und Ihre Kontaktdaten nach ${count(days, 'Tag', 'Tagen')}.`,
  notYou:
    'Wenn Sie uns nicht geschrieben haben, hat sich jemand bei der Adresse vertippt: Sie müssen nichts tun.',

  confirmSubject: 'Bitte bestätigen: neue Tiere per E-Mail',
  confirm:
    'jemand, wahrscheinlich Sie, möchte per E-Mail erfahren, wenn ein neues Tier zu dieser Suche passt:',
  confirmLink:
    'Wenn Sie das waren, öffnen Sie diese Seite und bestätigen Sie es innerhalb von 7 Tagen:',
  confirmElse:
    'Sonst müssen Sie nichts tun. Sie erhalten keine weitere Nachricht, und Ihre Adresse wird gelöscht.',

  alertSubject: (n) =>
    n === 1 ? 'Ein neues Tier passt zu Ihrer Suche' : `${n} neue Tiere passen zu Ihrer Suche`,
  alert: (n) =>
    n === 1 ? 'ein neues Tier passt zu Ihrer Suche:' : `${n} neue Tiere passen zu Ihrer Suche:`,
  more: (n) => `Und ${n} weitere:`,
  once: 'Zu dieser Suche schreiben wir höchstens einmal am Tag.',
  until: (date) => `Sie endet von selbst am ${date}.`,
  end: 'Sie können sie jederzeit mit einem Klick beenden. Ihre Adresse wird dann gelöscht:',
  search: 'Ihre Suche:',
  anySearch: 'alle Tiere',
};
