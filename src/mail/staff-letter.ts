import type { MailContent, QuotedEnquiry } from '../domain/mail.ts';
import type { Letter } from './send.ts';

/** Writes a mail about enquiries to staff. `root` is the public address without a path. */
export function writeStaffLetter({ quoted, count }: MailContent, root: string): Letter {
  const [first] = quoted;
  const isSingle = count === 1 && first !== undefined;
  const more = count - quoted.length;
  const spam = quoted.filter(({ suspected }) => suspected);
  const parts = [
    ...quoted.filter((each) => !each.suspected).map((enquiry) => entry(enquiry, root)),
    ...(spam.length > 0 ? ['These may be spam:'] : []),
    ...spam.map((enquiry) => entry(enquiry, root)),
    ...(more > 0 ? [`And ${more} more.`] : []),
    `Answer, close or start the adoption:\n${root}/console/enquiries`,
  ];
  return {
    subject: isSingle
      ? `Enquiry about ${petOf(first)} from ${oneLine(first.name)}`
      : `${count} new enquiries`,
    text: `${parts.join('\n\n')}\n`,
    replyTo:
      isSingle && first.email !== undefined
        ? { name: oneLine(first.name), address: first.email }
        : undefined,
  };
}

/** What somebody wrote is quoted, so that it cannot pass for a part of the mail. */
function entry(enquiry: QuotedEnquiry, root: string): string {
  const { petId, name, email, telephone, message, answers } = enquiry;
  const contact = [email, telephone].filter((way) => way !== undefined).map(oneLine);
  return [
    `${petOf(enquiry)}: ${root}/adopt/${petId}`,
    `From: ${oneLine(name)} (${contact.join(', ')})`,
    ...quotedLines(message),
    ...answers.flatMap(({ label, answer }) => [oneLine(label), ...quotedLines(answer)]),
  ].join('\n');
}

function petOf({ petId, petName }: QuotedEnquiry): string {
  return petName === null ? `animal ${petId}` : oneLine(petName);
}

/** The lines of a text, each marked as quoted. */
export function quotedLines(text: string): string[] {
  return text.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`);
}

/** Makes spaces of what could start another line. */
export function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
