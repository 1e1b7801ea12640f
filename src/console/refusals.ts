/** What the service says when it refuses, in the words of the console: without numbers and names of the interface. */
import { formatDate, formatNumber } from './format.ts';
import { language, t } from './language.ts';
import { fieldName, statusName, statusWord } from './names.ts';

type Words = (...found: string[]) => string;

/** Whole messages, by their form. */
const SAID: readonly (readonly [RegExp, Words])[] = [
  [
    /^Animal \d+ is (\w+): only an available/,
    (status) => t`This animal is ${statusWord(status)}: only one that is available can be adopted.`,
  ],
  [
    /^Animal \d+ is in (\w+) (?:until (\S+) is over|until its)/,
    (care, end) =>
      end === undefined
        ? t`This animal cannot be adopted yet: ${statusName(care)}.`
        : t`This animal cannot be adopted before ${formatDate(end)} is over: ${statusName(care)}.`,
  ],
  [
    /^Order \d+ is (\w+) and c/,
    (status) => t`This adoption is ${statusWord(status)} now: somebody else has changed it.`,
  ],
  [
    /^Order \d+ is (\w+): its/,
    (status) => t`This adoption is ${statusWord(status)}: details can only be erased.`,
  ],
  [
    /^Order \d+ is .*: only a completed/,
    () => t`Only a completed adoption can be returned, and only once.`,
  ],
  [
    /^Animal \d+ is held by the open/,
    () => t`This animal has an open adoption: complete or cancel it first.`,
  ],
  [
    /^Animal \d+ had another stay/,
    () => t`The animal was here then already: stays do not overlap.`,
  ],
  [/^Animal \d+ is here already/, () => t`The animal is here already: its newest stay is open.`],
  [
    /^The animal came on (\S+):/,
    (date) => t`The animal came on ${formatDate(date)}: it cannot leave before.`,
  ],
  [/^Animal \d+ has (\d+) stays/, (most) => t`The animal has ${most} stays: no more are kept.`],
  [
    /^(?:There is no animal|Animal \d+ was removed)/,
    () => t`This animal is no longer there: somebody has removed it.`,
  ],
  [/^Another person has this e/, () => t`Another person has this e-mail address.`],
  [
    /^(.*) is the last manager/,
    (name) => t`${name} is the last manager who can sign in: make somebody else a manager first.`,
  ],
  [/^Person \d+ was removed/, () => t`This person was removed: add them again.`],
  [/^No person \d+ works here/, () => t`This person can no longer take care of enquiries.`],
  [/^From enquiry \d+/, () => t`An adoption was started from this enquiry already.`],
  [/^Category \d+ already has/, () => t`Another category has this name already.`],
  [
    /animals? refers? to category/,
    () => t`There are animals in this category: move them to another one first.`,
  ],
  [
    /^There are ([\d,]+) categories/,
    (most) =>
      t`There are ${formatNumber(Number(most.replaceAll(',', '')))} categories already: remove one that is empty first.`,
  ],
  [
    /^There are (\d+) (?:webhooks|channels) already/,
    (most) => t`There are ${most} already: delete one that is no longer needed.`,
  ],
  [
    /^The animal \d+ has (\d+) photos/,
    (most) => t`The animal has ${most} photos, which is the most: remove one first.`,
  ],
  [/^(?:The|This) .* is cut off/, () => t`This photo is cut off: its end is missing.`],
  [
    / has too many pixels: at most (\d+)/,
    (most) => t`This photo is too large: ${most} million pixels are the most.`,
  ],
  [
    / is too long: at most (\d+) pixels/,
    (most) =>
      t`This photo is too long: ${formatNumber(Number(most))} pixels are the most on a side.`,
  ],
  [/ is animated: /, () => t`This picture moves: add one that stands still.`],
  [/ is damaged: it cannot be decoded/, () => t`This photo is damaged and cannot be opened.`],
  [
    /^Send a JPEG.*: (\w+) cannot be decoded/,
    (format) => t`${format} cannot be opened here: save or share the photo as JPEG.`,
  ],
  // For a file that is not a picture, the service says what it looked at.
  [/by its bytes/, () => t`This is not a photo: add a JPEG, PNG or WebP.`],
  [
    /^Without key \d+/,
    () => t`Without this key, nobody could manage keys and people: create another one first.`,
  ],
  [/^Key \d+ (?:is revoked|has expired)/, () => t`This key has ended: create a new one.`],
  [/^The (?:webhook|channel) is disabled/, () => t`It is disabled: enable it first.`],
  [
    /^The service has no key to encrypt/,
    () =>
      t`The service cannot keep a password safe yet: ask its operator to set PETSTORE_SECRET_KEY.`,
  ],
  [/^The receiver did not/, () => t`The receiver did not answer in time.`],
  [/^The receiver (?:refused|closed|cannot)/, () => t`The receiver cannot be reached.`],
  [/^The receiver responded with (\d+)/, (code) => t`The receiver answered with ${code}.`],
  [
    /^The file has (\d+) animals, and the one sent last had (\d+)/,
    (now, before) => t`The file has ${now} animals, and the last one had ${before}.`,
  ],
  [/^The file has no animals/, () => t`The file has no animals, and none was sent before.`],
  [/^ageGroup follows from/, () => t`The age follows from the birth date: change that.`],
  [
    /^The e-mail address or the password is wrong/,
    () => t`The e-mail address or the password is wrong.`,
  ],
  [
    /^Too many wrong sign-ins .* in (\d+) minutes/,
    (minutes) =>
      t`Too many wrong sign-ins: try again in ${minutes} minutes, or ask a manager for a new invitation.`,
  ],
  [
    /^This invitation was used/,
    () => t`This invitation was used, has expired or was replaced: ask a manager for another one.`,
  ],
  [
    /^Nobody can sign in here/,
    () => t`Others on this network could read your password: open this page with https.`,
  ],
  [/^Only the console itself/, () => t`Open the console in a tab of its own, and try again.`],
  [/is too common: /, () => t`This password is too common: others would guess it.`],
  [/must not be your name/, () => t`A password must not be your name or e-mail address.`],
  [/^It has changed since/, () => t`Somebody else has changed it meanwhile: look at it again.`],
  [/^There is no /, () => t`This is no longer there: somebody has removed it.`],
  [/disk of the database is full/, () => t`The disk of the service is full. Tell its operator.`],
];

/** What goes wrong on the way to another server, by what programs say of it. */
const TROUBLES: typeof SAID = [
  [/^The place refuses/, () => t`The place refuses user or password.`],
  [/^The server has another key/, () => t`The server has another key than before.`],
  [/^The place has \d+ bytes/, () => t`The file did not arrive whole.`],
  [/certificate is not trusted/, () => t`The mail server cannot be reached, or is not trusted.`],
  [
    /ECONNREFUSED|E(?:HOST|NET)UNREACH|EADDRNOTAVAIL|cannot be reached/,
    () => t`The server cannot be reached.`,
  ],
  [/ENOTFOUND|EAI_AGAIN|no address/i, () => t`No server has this name. Check the address.`],
  [
    /ETIMEDOUT|time(?:d |-)?out|in time|too long$|aborted/i,
    () => t`The server did not answer in time.`,
  ],
  [/ECONNRESET|EPIPE|The connection ended|FIN packet/, () => t`The connection broke off.`],
  [/certificate|self.signed|CERT_/i, () => t`The certificate of the server is not trusted.`],
  [/no TLS|was encrypted/, () => t`The server offers no encryption.`],
  [/refuses user and password/, () => t`The server refuses user and password.`],
  [/ENOSPC|no space|quota|\b552\b/i, () => t`There is no room left for the file.`],
  [
    /EACCES|permission denied|no such file|\b55[03]\b/i,
    () => t`The folder is missing, or closed to us.`,
  ],
  [/answers with (\d+)/, (code) => t`The server answered with ${code}.`],
];

/** What a field must be, by the end of the sentence: `name must not be blank.` The first value is what the field is called. */
const RULES: readonly (readonly [RegExp, Words])[] = [
  [/^not be (?:empty|blank)/, (name) => t`${name} is missing.`],
  [
    /^have at most (\d+) characters/,
    (name, most) => t`${name} is too long: ${formatNumber(Number(most))} characters are the most.`,
  ],
  [
    /^have at most (\d+) items/,
    (name, most) => t`${name} has too many lines: ${most} are the most.`,
  ],
  [
    /^have at least (\d+) characters/,
    (name, least) => t`${name} is too short: it needs ${least} characters.`,
  ],
  [
    /^not contain (?:control|half)/,
    (name) => t`${name} has a character that nobody can see. Type it again.`,
  ],
  [/^not be after today/, (name) => t`${name} is after today.`],
  [/^not be before/, (name) => t`${name} is too early.`],
  [/^be before/, () => t`The first date has to be before the second one.`],
  [/^be an e-mail address/, (name) => t`${name} is no e-mail address.`],
  [/^be a date/, (name) => t`${name} is no date.`],
  [/^(?:be an address that starts|use https)/, (name) => t`${name} has to start with https://.`],
  [
    /^be a (?:whole )?number from (\S+) to ([^\s,.]+)/,
    (name, from, to) => t`${name} has to be a number from ${from} to ${to}.`,
  ],
];

/** Returns what went wrong, in words for the person. What nobody foresaw follows a sentence that they understand. */
export function problemText(message: string): string {
  for (const [form, words] of [...SAID, ...TROUBLES]) {
    const found = form.exec(message);
    if (found) return words(...found.slice(1));
  }
  return t`It did not work. For those who run the service: ${message}`;
}

/** Returns what a refusal says, in words for the person. `label` is what its field is called on the screen. */
export function refusalText(message: string, label?: string): string {
  if (SAID.some(([form]) => form.test(message))) return problemText(message);
  const [, named = '', rule] = /^([\w ]+?) must (.*)$/s.exec(message) ?? [];
  const name = label ?? fieldName(named);
  for (const [form, words] of RULES) {
    const found = rule === undefined ? null : form.exec(rule);
    if (found) return words(name, ...found.slice(1));
  }
  const said = rule === undefined ? message : `${name} must ${rule}`;
  return language === 'en' ? said : t`The service does not accept this: ${said}`;
}
