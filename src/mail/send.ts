import { SECOND_MS } from '../domain/clock.ts';
import type { QuotedEnquiry, TakenMail } from '../domain/mail.ts';

/** Who sends mails to whom, and over which server. */
export interface MailSettings {
  readonly smtp: string;
  readonly notify: readonly string[];
  readonly mailFrom: string | undefined;
}

/** How a mail server may be slow: much less than the time for which a mail is taken. */
const CONNECT_MS = 10 * SECOND_MS;
const SILENCE_MS = 10 * SECOND_MS;
const TOTAL_MS = 40 * SECOND_MS;

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;

/** Loads the library for mails, which nothing else needs, and describes the server to it. */
async function openTransport(smtp: string) {
  const { createTransport } = await import('nodemailer');
  const { protocol, hostname, port, username, password } = new URL(smtp);
  const secure = protocol === 'smtps:';
  const user = decodeURIComponent(username);
  return createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || (secure ? 465 : 587)),
    secure,
    // A password never crosses a network in the clear.
    requireTLS: !secure && user !== '' && !LOOPBACK.test(hostname),
    ...(user !== '' && { auth: { user, pass: decodeURIComponent(password) } }),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: SILENCE_MS,
    socketTimeout: SILENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

/** Sends a mail to staff and to nobody else. Rejects if the server has taken it for none of them. */
export async function sendMail(settings: MailSettings, letter: Letter, name: string) {
  const { smtp, notify, mailFrom = notify[0] ?? '' } = settings;
  return within(await openTransport(smtp), (transport) =>
    transport.sendMail({
      from: { name: 'Petstore', address: mailFrom },
      to: [...notify],
      ...(letter.replyTo && { replyTo: letter.replyTo }),
      subject: letter.subject,
      text: letter.text,
      messageId: `<${name}@${mailFrom.split('@')[1]}>`,
      headers: { 'Auto-Submitted': 'auto-generated' },
    }),
  );
}

/** Connects and signs in, and sends nothing. */
export async function checkServer({ smtp }: Pick<MailSettings, 'smtp'>): Promise<void> {
  await within(await openTransport(smtp), (transport) => transport.verify());
}

type Transport = Awaited<ReturnType<typeof openTransport>>;

/** A server that sends a byte now and then is never silent, so the whole has a limit too. */
async function within<T>(transport: Transport, work: (transport: Transport) => Promise<T>) {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('it takes too long')), TOTAL_MS);
  try {
    return await Promise.race([work(transport), late.promise]);
  } finally {
    clearTimeout(timer);
    transport.close();
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ECONNECTION: 'it cannot be reached',
  ESOCKET: 'it cannot be reached, or its certificate is not trusted',
  ETIMEDOUT: 'it takes too long',
  EAUTH: 'it refuses user and password',
  ETLS: 'it offers no TLS',
};

/** Says why a mail was not sent, without what the server said: that may have addresses. */
export function reasonOf(error: unknown): string {
  const { code, responseCode } = Object(error);
  if (responseCode !== undefined) return `it answers with ${responseCode}`;
  return REASONS[code] ?? (code === undefined ? 'it takes too long' : `${code}`);
}

/** The text of a mail. The sender adds the addresses. */
interface Letter {
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
