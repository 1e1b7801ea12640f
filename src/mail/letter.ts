import type { QuotedEnquiry, TakenMail } from '../domain/mail.ts';

/** The text of a mail. The sender adds the addresses. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  /** Who is answered by a reply: only where the mail is about one enquiry. */
  readonly replyTo: { readonly name: string; readonly address: string } | undefined;
}

/** Writes a mail about enquiries. `root` is the public address without a path. */
export function writeLetter({ quoted, count }: TakenMail, root: string): Letter {
  const [first] = quoted;
  const isSingle = count === 1 && first !== undefined;
  const more = count - quoted.length;
  const parts = [
    ...quoted.map((enquiry) => entry(enquiry, root)),
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
  const { petId, name, email, telephone, message } = enquiry;
  const contact = [email, telephone].filter((way) => way !== undefined).map(oneLine);
  const quote = message.split(/\r\n|[\n\r\u2028\u2029]/).map((line) => `> ${line}`);
  return [
    `${petOf(enquiry)}: ${root}/adopt/${petId}`,
    `From: ${oneLine(name)} (${contact.join(', ')})`,
    ...quote,
  ].join('\n');
}

function petOf({ petId, petName }: QuotedEnquiry): string {
  return petName === null ? `animal ${petId}` : oneLine(petName);
}

/** Makes spaces of what could start another line. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}
