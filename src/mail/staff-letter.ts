import type { MailContent, QuotedEnquiry } from '../domain/mail.ts';
import { STAFF_MESSAGES } from './messages/staff.ts';
import type { Letter } from './send.ts';
import type { Readers } from './staff-language.ts';

type Messages = (typeof STAFF_MESSAGES)[Readers['language']];

/** Writes a mail about enquiries to those of staff who read one language. `root` is the public address without a path. */
export function writeStaffLetter(
  { quoted, count }: MailContent,
  root: string,
  { language, to }: Readers,
): Letter {
  const t = STAFF_MESSAGES[language];
  const [first] = quoted;
  const isSingle = count === 1 && first !== undefined;
  const more = count - quoted.length;
  const spam = quoted.filter(({ suspected }) => suspected);
  const parts = [
    ...quoted.filter((each) => !each.suspected).map((enquiry) => entry(enquiry, root, t)),
    ...(spam.length > 0 ? [t.spam] : []),
    ...spam.map((enquiry) => entry(enquiry, root, t)),
    ...(more > 0 ? [t.more(more)] : []),
    `${t.answer}\n${root}/console/enquiries`,
  ];
  return {
    to,
    language,
    subject: isSingle ? t.subject(petOf(first, t), oneLine(first.name)) : t.subjectOfSeveral(count),
    text: `${parts.join('\n\n')}\n`,
    replyTo:
      isSingle && first.email !== undefined
        ? { name: oneLine(first.name), address: first.email }
        : undefined,
  };
}

/** What somebody wrote is quoted, so that it cannot pass for a part of the mail. */
function entry(enquiry: QuotedEnquiry, root: string, t: Messages): string {
  const { petId, name, email, telephone, message, answers } = enquiry;
  const contact = [email, telephone].filter((way) => way !== undefined).map(oneLine);
  return [
    `${petOf(enquiry, t)}: ${root}/adopt/${petId}`,
    `${t.from} ${oneLine(name)} (${contact.join(', ')})`,
    ...quotedLines(message),
    ...answers.flatMap(({ label, answer }) => [oneLine(label), ...quotedLines(answer)]),
  ].join('\n');
}

function petOf({ petId, petName }: QuotedEnquiry, t: Messages): string {
  return petName === null ? t.animal(petId) : oneLine(petName);
}

/** The lines of a text, each marked as quoted. */
export function quotedLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`);
}

/** Makes spaces of what could start another line. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
