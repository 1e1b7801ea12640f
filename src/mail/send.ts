import { SECOND_MS } from '../domain/clock.ts';

/** Who sends mails to whom, and over which server. */
export interface MailSettings {
  readonly smtp: string;
  readonly notify: readonly string[];
  readonly mailFrom: string | undefined;
  /** The language of the shop, unless it says so itself. */
  readonly contentLanguage?: string | undefined;
}

/** How slow a mail server may be: it must answer well before the lease on a mail ends. */
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

/** Sends a mail. Rejects if the server has taken it for nobody. */
export async function sendMail(
  settings: MailSettings,
  letter: Letter,
  name: string,
  signal?: AbortSignal,
) {
  const { smtp, notify, mailFrom = notify[0] ?? '' } = settings;
  const { from, to, replyTo, subject, text, endAddress, language } = letter;
  const headers = {
    'Auto-Submitted': 'auto-generated',
    ...(language !== undefined && { 'Content-Language': language }),
    // One click ends it, in the program that shows the mail (RFC 8058).
    ...(endAddress !== undefined && {
      'List-Unsubscribe': `<${endAddress}>`,
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
    }),
  };
  const transport = await openTransport(smtp);
  return within(transport, signal, () =>
    transport.sendMail({
      from: named({ name: from ?? 'Petstore', address: mailFrom }),
      to: [...to],
      ...(replyTo && { replyTo: typeof replyTo === 'string' ? replyTo : named(replyTo) }),
      ...{ subject, text, headers },
      messageId: `<${name}@${mailFrom.split('@')[1]}>`,
    }),
  );
}

/**
 * Some programs decode a name before they look for addresses in it: with a name like `Zoë <other@example.com>` a
 * stranger would have answers go to somebody else, and a comma would make two addresses of one.
 */
function named({ name, address }: { readonly name: string; readonly address: string }) {
  const isQuoted = /^[ -~]*$/.test(name);
  return { name: isQuoted ? name : name.replace(/[<>@,;:"]+/g, ' '), address };
}

/** Codes of refusals that are about the sender or what it may do, not about the address (RFC 3463). */
const POLICY = /^\s*\d{3}[ -]5\.7\./;
const NO_SUCH_ADDRESS = [550, 551, 553, 556];

/** Whether the server refuses the address for good. What it says of the sender is no reason to give an address up. */
export function isRefusal(error: unknown): boolean {
  const { command, responseCode, response = '' } = Object(error);
  return (
    command === 'RCPT TO' && NO_SUCH_ADDRESS.includes(responseCode) && !POLICY.test(`${response}`)
  );
}

/** Connects and signs in, and sends nothing. */
export async function checkServer({ smtp }: Pick<MailSettings, 'smtp'>): Promise<void> {
  const transport = await openTransport(smtp);
  await within(transport, undefined, () => transport.verify());
}

type Transport = Awaited<ReturnType<typeof openTransport>>;

/** A server that sends a byte now and then is never silent, so the whole has a limit too. */
async function within<T>(
  transport: Pick<Transport, 'close'>,
  signal: AbortSignal | undefined,
  work: () => Promise<T>,
) {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error('it takes too long')), TOTAL_MS);
  const stop = () => late.reject(new Error('it was stopped'));
  signal?.addEventListener('abort', stop);
  try {
    return await Promise.race([work(), late.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
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

/** The text of a mail. The sender adds the rest. */
export interface Letter {
  readonly subject: string;
  readonly text: string;
  /** The language of the text, so that it can be read aloud. */
  readonly language?: string | undefined;
  /** Who writes; the service itself by default. */
  readonly from?: string | undefined;
  readonly to: readonly string[];
  /** Who is answered by a reply. */
  readonly replyTo?: string | { readonly name: string; readonly address: string } | undefined;
  /** Where one click ends mails like this one. */
  readonly endAddress?: string;
}
