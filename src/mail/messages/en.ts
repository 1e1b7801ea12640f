const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

/** What mails to families say. Every language has all of it: the type of the others is that of this. */
export const en = {
  hello: 'Hello,',
  regards: (shop: string) => `Kind regards\n${shop}`,
  call: (telephone: string) => `If it is urgent, call us: ${telephone}`,
  hours: 'Opening hours:',
  shelter: 'Animal shelter',
  anAnimal: 'one of our animals',

  copySubject: (animal: string) => `Your message about ${animal}`,
  copy: (animal: string) =>
    `Thank you for your message about ${animal}. It has arrived, and this is a copy of it.`,
  copyNext: 'This is what happens next:',
  next: [
    'One of us reads your message.',
    'We write to you or call you, and answer your questions.',
    'You visit us, and get to know each other.',
  ],
  wrote: 'You wrote:',
  withoutLinks: 'Addresses of web pages are left out of this copy.',
  kept: (days: number) =>
    `We erase your message and your contact details after ${count(days, 'day', 'days')}.`,
  notYou:
    'If you did not write to us, somebody has mistyped their address: you need not do anything.',

  confirmSubject: 'Please confirm: new animals by e-mail',
  confirm:
    'Somebody, probably you, wants to be told by e-mail when a new animal matches this search:',
  confirmLink: 'If that was you, open this page and confirm it within 7 days:',
  confirmElse:
    'Otherwise you need not do anything. Nothing more is sent to you, and your address is erased.',

  alertSubject: (n: number) =>
    n === 1 ? 'A new animal matches your search' : `${n} new animals match your search`,
  alert: (n: number) =>
    n === 1 ? 'A new animal matches your search:' : `${n} new animals match your search:`,
  more: (n: number) => `And ${n} more:`,
  once: 'We write at most once a day about this search.',
  until: (date: string) => `It ends by itself on ${date}.`,
  end: 'You can end it at any time, with one click. Your address is then erased:',
  search: 'Your search:',
  anySearch: 'all animals',
};

export type MailMessages = typeof en;
