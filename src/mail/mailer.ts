import { type Clock, SECOND_MS } from '../domain/clock.ts';
import { isUnavailable } from '../domain/failure.ts';
import {
  MAIL_GIVEN_UP_MS,
  type MailReport,
  type MailStorage,
  mailWaitMs,
  type TakenMail,
} from '../domain/mail.ts';
import { type MailSettings, reasonOf, sendMail, writeLetter } from './send.ts';

/** Interval between two looks at the queue. */
const LOOK_MS = SECOND_MS;

interface MailerParts {
  readonly settings: MailSettings;
  readonly storage: MailStorage;
  /** The public address without a path. */
  readonly root: string;
  readonly clock: Clock;
  isFenced(): boolean;
  readonly log: {
    info(message: string, facts?: object): void;
    error(message: string, error?: unknown): void;
  };
}

/** Mails to staff, while the service runs. */
export interface Mailer {
  report(): MailReport;
  /** Waits for the mail that is being sent. */
  end(): Promise<void>;
}

/**
 * Starts to tell staff of new enquiries. Each mail is sent at least once: it ends when the server has
 * taken it, and one that was sent when the process died is sent again with the same Message-ID.
 */
export function startMailer(parts: MailerParts): Mailer {
  const { settings, storage, root, clock, log } = parts;
  const counts = { sent: 0, failed: 0, given_up: 0 };
  let isAtStart = true;
  let turn: Promise<void> | undefined;

  async function send(taken: TakenMail): Promise<void> {
    const { mail, count } = taken;
    if (count === 0) return await storage.end(mail.id, clock.now());
    try {
      const { rejected } = await sendMail(settings, writeLetter(taken, root), mail.name);
      if (rejected.length > 0) {
        log.error(`the mail server takes no mails for ${rejected.length} of PETSTORE_NOTIFY`);
      }
    } catch (error) {
      counts.failed++;
      const cause = new Error(`the mail server fails: ${reasonOf(error)}`);
      if (clock.now() - mail.createdAt < MAIL_GIVEN_UP_MS) {
        log.error('could not send a mail about enquiries; trying again', cause);
        return await storage.retry(mail.id, clock.now() + mailWaitMs(mail.attempts));
      }
      counts.given_up++;
      log.error('gave up a mail about enquiries; they are in the console', cause);
      return await storage.end(mail.id, clock.now());
    }
    counts.sent++;
    await storage.end(mail.id, clock.now());
    log.info('a mail about enquiries was sent', { enquiries: count, attempts: mail.attempts });
  }

  async function look(): Promise<void> {
    try {
      if (parts.isFenced()) return;
      const isDue = await storage.isDue(clock.now(), isAtStart);
      const taken = isDue
        ? await storage.take(crypto.randomUUID(), clock.now(), isAtStart)
        : undefined;
      isAtStart = false;
      if (taken !== undefined) await send(taken);
    } catch (error) {
      // Requests report an unavailable database.
      if (!isUnavailable(error)) log.error('could not look for mails to send', error);
    } finally {
      turn = undefined;
    }
  }

  const timer = setInterval(() => {
    turn ??= look();
  }, LOOK_MS);
  return {
    report: () => counts,
    async end() {
      clearInterval(timer);
      await turn;
    },
  };
}
