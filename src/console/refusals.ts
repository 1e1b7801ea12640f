/** What the service says when it refuses, in the words of the console: without numbers and names of the interface. */
import { formatDate, formatNumber } from './format.ts';
import { language, t, translate } from './language.ts';
import { fieldName, statusName, statusWord } from './names.ts';

/** What the console says, by the form of what the service says. `{0}` stands for its first group. */
export type Forms = Readonly<Record<string, RegExp>>;

/** How groups of these names are written. Others stay as they are. */
const WRITTEN: Readonly<Record<string, (found: string) => string>> = {
  status: statusWord,
  care: statusName,
  date: (found) => formatDate(found),
  number: (found) => formatNumber(Number(found.replaceAll(',', ''))),
};

/** Returns the words of the first form that fits; `first` are the values before its groups. */
export function wordsIn(forms: Forms, message: string, ...first: string[]): string | undefined {
  for (const [text, form] of Object.entries(forms)) {
    const found = form.exec(message);
    if (found === null) continue;
    const values = Object.entries(found.groups ?? {}).map(
      ([name, value]) => WRITTEN[name]?.(value) ?? value,
    );
    return translate(text, ...first, ...values);
  }
  return undefined;
}

/** Whole messages. */
const SAID: Forms = {
  'This animal is {0}: only one that is available can be adopted.':
    /^Animal \d+ is (?<status>\w+): only an available/,
  // The day is said first.
  'This animal cannot be adopted before {0} is over: {1}.':
    /^Animal \d+ is in (?=\w+ until (?<date>\S+) is over)(?<care>\w+)/,
  'This animal cannot be adopted yet: {0}.': /^Animal \d+ is in (?<care>\w+) until its/,
  'This adoption is {0} now: somebody else has changed it.': /^Order \d+ is (?<status>\w+) and c/,
  'This adoption is {0}: details can only be erased.': /^Order \d+ is (?<status>\w+): its/,
  'Only a completed adoption can be returned, and only once.': /^Order \d+ is .*: only a completed/,
  'This animal has an open adoption: complete or cancel it first.':
    /^Animal \d+ is held by the open/,
  'The animal was here then already: stays do not overlap.': /^Animal \d+ had another stay/,
  'The animal is here already: its newest stay is open.': /^Animal \d+ is here already/,
  'The animal came on {0}: it cannot leave before.': /^The animal came on (?<date>\S+):/,
  'The animal has {0} stays: no more are kept.': /^Animal \d+ has (?<most>\d+) stays/,
  'This animal is no longer there: somebody has removed it.':
    /^(?:There is no animal|Animal \d+ was removed)/,
  'Another person has this e-mail address.': /^Another person has this e/,
  '{0} is the last manager who can sign in: make somebody else a manager first.':
    /^(?<name>.*) is the last manager/,
  'This person was removed: add them again.': /^Person \d+ was removed/,
  'This person can no longer take care of enquiries.': /^No person \d+ works here/,
  'An adoption was started from this enquiry already.': /^From enquiry \d+/,
  'Another category has this name already.': /^Category \d+ already has/,
  'There are animals in this category: move them to another one first.':
    /animals? refers? to category/,
  'There are {0} categories already: remove one that is empty first.':
    /^There are (?<number>[\d,]+) categories/,
  'There are {0} already: delete one that is no longer needed.':
    /^There are (?<most>\d+) (?:webhooks|channels) already/,
  'The animal already has {0} photos, the most it can have: remove one first.':
    /^The animal \d+ has (?<most>\d+) photos/,
  'This photo is cut off: its end is missing.': /^(?:The|This) .* is cut off/,
  'This photo is too large: at most {0} million pixels.':
    / has too many pixels: at most (?<most>\d+)/,
  'This photo is too long: at most {0} pixels on a side.':
    / is too long: at most (?<number>\d+) pixels/,
  'This picture is animated: add a still one.': / is animated: /,
  'This photo is damaged and cannot be opened.': / is damaged: it cannot be decoded/,
  '{0} cannot be opened here: save or share the photo as JPEG.':
    /^Send a JPEG.*: (?<format>\w+) cannot be decoded/,
  // For a file that is not a picture, the service says what it looked at.
  'This is not a photo: add a JPEG, PNG or WebP.': /by its bytes/,
  'Without this key, nobody could manage keys and people: create another one first.':
    /^Without key \d+/,
  'This key has ended: create a new one.': /^Key \d+ (?:is revoked|has expired)/,
  'It is disabled: enable it first.': /^The (?:webhook|channel) is disabled/,
  'The service cannot keep a password safe yet: ask its operator to set PETSTORE_SECRET_KEY.':
    /^The service has no key to encrypt/,
  'The receiver did not answer in time.': /^The receiver did not/,
  'The receiver cannot be reached.': /^The receiver (?:refused|closed|cannot)/,
  'The receiver answered with {0}.': /^The receiver responded with (?<code>\d+)/,
  'The file has {0} animals, and the last one had {1}.':
    /^The file has (?<now>\d+) animals, and the one sent last had (?<before>\d+)/,
  'The file has no animals, and none was sent before.': /^The file has no animals/,
  'The age is worked out from the birth date: change that instead.': /^ageGroup follows from/,
  'The e-mail address or the password is wrong.': /^The e-mail address or the password is wrong/,
  'Too many wrong sign-ins: try again in {0} minutes, or ask a manager for a new invitation.':
    /^Too many wrong sign-ins .* in (?<minutes>\d+) minutes/,
  'This invitation was used, has expired or was replaced: ask a manager for another one.':
    /^This invitation was used/,
  'Others on this network could read your password: open this page with https.':
    /^Nobody can sign in here/,
  'Open the console in a tab of its own, and try again.': /^Only the console itself/,
  'This password is too common: others would guess it.': /is too common: /,
  'A password must not be your name or e-mail address.': /must not be your name/,
  'Somebody else has changed this in the meantime: look at it again.': /^It has changed since/,
  'This is no longer there: somebody has removed it.': /^There is no /,
  'The service has run out of disk space. Tell whoever runs it.': /disk of the database is full/,
};

/** What goes wrong on the way to another server, by what programs say of it. */
const TROUBLES: Forms = {
  'The user name or the password is not accepted there.': /^The place refuses/,
  'The server’s key has changed.': /^The server has another key/,
  'Only part of the file arrived.': /^The place has \d+ bytes/,
  'The mail server cannot be reached, or is not trusted.': /certificate is not trusted/,
  'The server cannot be reached.':
    /ECONNREFUSED|E(?:HOST|NET)UNREACH|EADDRNOTAVAIL|cannot be reached/,
  'No server has this name. Check the address.': /ENOTFOUND|EAI_AGAIN|no address/i,
  'The server did not answer in time.': /ETIMEDOUT|time(?:d |-)?out|in time|too long$|aborted/i,
  'The connection was lost.': /ECONNRESET|EPIPE|The connection ended|FIN packet/,
  'The certificate of the server is not trusted.': /certificate|self.signed|CERT_/i,
  'The server offers no encryption.': /no TLS|was encrypted/,
  'The server does not accept the user name and password.': /refuses user and password/,
  'There is no room left for the file.': /ENOSPC|no space|quota|\b552\b/i,
  'The folder is missing, or we may not write to it.':
    /EACCES|permission denied|no such file|\b55[03]\b/i,
  'The server answered with {0}.': /answers with (?<code>\d+)/,
};

/** What a field must be, by the end of the sentence: `name must not be blank.` The first value is what the field is called. */
const RULES: Forms = {
  '{0} is missing.': /^not be (?:empty|blank)/,
  '{0} is too long: at most {1} characters.': /^have at most (?<number>\d+) characters/,
  '{0} has too many lines: at most {1}.': /^have at most (?<most>\d+) items/,
  '{0} is too short: it needs {1} characters.': /^have at least (?<least>\d+) characters/,
  '{0} has a character that nobody can see. Type it again.': /^not contain (?:control|half)/,
  '{0} is after today.': /^not be after today/,
  '{0} is too early.': /^not be before/,
  'The first date has to be before the second one.': /^be before/,
  '{0} is not an e-mail address.': /^be an e-mail address/,
  '{0} is not a date.': /^be a date/,
  '{0} has to start with https://.': /^(?:be an address that starts|use https)/,
  '{0} has to be a number from {1} to {2}.':
    /^be a (?:whole )?number from (?<from>\S+) to (?<to>[^\s,.]+)/,
};

/** Returns what went wrong, in words for the person. What nobody foresaw follows a sentence that they understand. */
export function problemText(message: string): string {
  const words = wordsIn(SAID, message) ?? wordsIn(TROUBLES, message);
  return words ?? t`It did not work. For those who run the service: ${message}`;
}

/** Returns what a refusal says, in words for the person. `label` is what its field is called on the screen. */
export function refusalText(message: string, label?: string): string {
  const [, named = '', rule] = /^([\w ]+?) must (.*)$/s.exec(message) ?? [];
  const name = label ?? fieldName(named);
  const words = wordsIn(SAID, message) ?? (rule && wordsIn(RULES, rule, name));
  if (words) return words;
  const said = rule === undefined ? message : `${name} must ${rule}`;
  return language === 'en' ? said : t`The service does not accept this: ${said}`;
}
