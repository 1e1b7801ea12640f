import type { Alert, AlertStorage, DueAlert } from '../domain/alert.ts';
import { type Clock, SECOND_MS } from '../domain/clock.ts';
import {
  MAIL_WAITS_MS,
  type Mail,
  type MailContent,
  type MailReport,
  type MailStorage,
} from '../domain/mail.ts';
import type { PendingJobs, Target } from '../jobs/line.ts';
import type { Kind, Runner } from '../jobs/runner.ts';
import { createSchedule } from '../jobs/schedule.ts';
import {
  type FamilyMailContext,
  type ToldAnimal,
  writeAlert,
  writeConfirmation,
  writeCopy,
} from './family-letters.ts';
import { isRefusal, type Letter, type MailSettings, reasonOf, sendMail } from './send.ts';
import { readersOf, type StaffLanguageSources } from './staff-language.ts';
import { writeStaffLetter } from './staff-letter.ts';

/** The one line of mails; webhooks have ids from 1 on. */
const LINE_ID = 0n;
/** Interval at which mails are made of what happened. */
const COLLECT_MS = SECOND_MS;
/** Mails that are read at a time, besides those under way. */
const READ_MAX = 64;
/** Alerts that are examined at a time. */
const EXAMINED_MAX = 500;

/** Animals that were listed, as a mail tells of them. */
export interface FoundAnimals {
  readonly count: number;
  readonly animals: readonly ToldAnimal[];
  /** When the newest was listed. */
  readonly newestAt: number;
}

export interface MailParts {
  readonly settings: MailSettings;
  readonly storage: {
    readonly mails: MailStorage;
    readonly alerts: AlertStorage;
  } & StaffLanguageSources;
  /** The public address without a path. */
  readonly root: Promise<string>;
  readonly keptDays: number;
  readonly clock: Clock;
  /** Finds the animals of a search that were listed after a time; undefined if none was. */
  animalsOf(
    alert: Pick<Alert, 'search' | 'seenAt'>,
    language: string,
  ): Promise<FoundAnimals | undefined>;
  /** Says what a search finds; '' for all animals. */
  searchText(search: string, language: string): Promise<string>;
  /** The addresses of the pages that confirm and end an alert. */
  linkOf(alert: Pick<Alert, 'name' | 'language'>, what: 'confirm' | 'end'): Promise<string>;
  /** Notes how the last attempt went, for `doctor` and metrics. */
  noted(problem: string | undefined): Promise<void>;
  readonly log: {
    info(message: string, facts?: object): void;
    error(message: string, error?: unknown): void;
  };
}

/** An attempt at a mail that is about to be stored. */
type Attempted = Parameters<MailStorage['record']>[1] & {
  readonly problem: string | undefined;
  /** Nothing was sent, so nothing is known of the server. */
  readonly isNothing?: true;
};

/**
 * Mails as a kind of job: to staff about enquiries, and to families. Each is sent at least once: it ends when the
 * server has taken it, and one that the process died over is sent again with the same Message-ID.
 */
export class Mails implements Kind {
  readonly #parts: MailParts;
  readonly #schedule = createSchedule(MAIL_WAITS_MS, Math.random);
  readonly #counts = { sent: 0, failed: 0, given_up: 0, refused: 0 };
  readonly #targets: ReadonlyMap<bigint, Target>;
  /** Of mails that wait for another attempt, the addresses for which the server has taken them. */
  readonly #taken = new Map<bigint, Set<string>>();
  #runner: Pick<Runner, 'term' | 'lines'> | undefined;
  #isAtStart = true;
  #collectedAt = Number.NEGATIVE_INFINITY;

  constructor(parts: MailParts) {
    this.#parts = parts;
    this.#targets = new Map([[LINE_ID, this.#target()]]);
  }

  /** Names the runner. */
  runBy(runner: Pick<Runner, 'term' | 'lines'>): void {
    this.#runner = runner;
  }

  report(): MailReport {
    return this.#counts;
  }

  async isNeeded(): Promise<boolean> {
    const line = this.#runner?.lines.get(LINE_ID);
    const isUnderWay = line !== undefined && line.unfinished > 0;
    return (
      isUnderWay ||
      this.#isAtStart ||
      (await this.#parts.storage.mails.isDue(this.#parts.clock.now()))
    );
  }

  async targets(term: bigint): Promise<ReadonlyMap<bigint, Target>> {
    // What waits for another attempt is tried at a start, before its time.
    if (this.#isAtStart) await this.#parts.storage.mails.retryAll(term);
    this.#isAtStart = false;
    return this.#targets;
  }

  async add(term: bigint, lines: Runner['lines']): Promise<boolean> {
    const { storage, clock } = this.#parts;
    const line = lines.get(LINE_ID);
    const now = performance.now();
    if (line === undefined || now - this.#collectedAt < COLLECT_MS) return false;
    this.#collectedAt = now;
    await storage.mails.collect(term, crypto.randomUUID(), clock.now());
    await this.#examineAlerts(term);
    line.lookForMore();
    return false;
  }

  /** Makes mails for alerts that match animals which were listed since. */
  async #examineAlerts(term: bigint): Promise<void> {
    const { storage, clock, animalsOf } = this.#parts;
    const now = clock.now();
    const { alerts, upTo } = await storage.alerts.due(now, EXAMINED_MAX);
    const matched: DueAlert[] = [];
    // Many families look for the same.
    for (const [, same] of Map.groupBy(alerts, ({ search, seenAt }) => `${seenAt} ${search}`)) {
      const [first] = same;
      if (first !== undefined && (await animalsOf(first, 'en')) !== undefined)
        matched.push(...same);
    }
    if (alerts.length === 0) return;
    const others = alerts.filter((alert) => !matched.includes(alert)).map(({ id }) => id);
    const mails = matched.map(({ id }) => ({ id, mailName: crypto.randomUUID() }));
    await storage.alerts.examined(term, mails, others, upTo, now);
  }

  #target(): Target {
    const { storage, settings, clock } = this.#parts;
    return {
      address: settings.smtp,
      pending: async (unfinished): Promise<PendingJobs | undefined> => {
        const found = await storage.mails.pending(clock.now(), READ_MAX + unfinished);
        const next = found?.next.map((mail) => ({
          ...mail,
          attempt: (signal: AbortSignal) => this.#attempt(mail, signal),
        }));
        return found && { ...found, next: next ?? [] };
      },
      record: async (attempt, all) => {
        const { problem, isNothing, ...attempted } = attempt as Attempted; // What `attempt` returned.
        const term = this.#runner?.term;
        if (term === undefined || !(await storage.mails.record(term, attempted, all))) return false;
        if (!isNothing) await this.#parts.noted(problem);
        return true;
      },
    };
  }

  async #attempt(mail: Mail, signal: AbortSignal): Promise<Attempted | undefined> {
    const { storage, clock, log } = this.#parts;
    const written = await this.#write(mail, await storage.mails.content(mail));
    const at = clock.now();
    const attempts = mail.attempts + 1;
    const attempt = { id: mail.id, attempts, nextAttemptAt: null, at, isRefused: false };
    const done = { ...attempt, toldUpTo: written?.toldUpTo, problem: undefined };
    // What it was about has ended, or was erased.
    if (written === undefined) return { ...done, status: 'delivered', isNothing: true };
    try {
      await this.#send(mail, written.letters, signal);
      this.#counts.sent++;
      log.info('a mail was sent', { kind: mail.kind, attempts });
      return { ...done, status: 'delivered' };
    } catch (error) {
      if (signal.aborted) return undefined;
      return { ...done, ...this.#failed(mail, attempts, error), toldUpTo: undefined };
    }
  }

  /** Sends the letters of a mail. Who got theirs at an earlier attempt gets no second one. */
  async #send({ id, name }: Mail, letters: readonly Letter[], signal: AbortSignal): Promise<void> {
    const { settings, log } = this.#parts;
    const taken = this.#taken.getOrInsertComputed(id, () => new Set());
    for (const [place, letter] of letters.entries()) {
      const to = letter.to.filter((address) => !taken.has(address));
      if (to.length === 0) continue;
      const named = place === 0 ? name : `${name}.${place}`;
      const { rejected } = await sendMail(settings, { ...letter, to }, named, signal);
      for (const address of to) taken.add(address);
      if (rejected.length > 0) {
        log.error(`the mail server takes no mails for ${rejected.length} of PETSTORE_NOTIFY`);
      }
    }
    this.#taken.delete(id);
  }

  #failed({ id, kind }: Mail, attempts: number, error: unknown) {
    const { clock, log } = this.#parts;
    const problem = `the mail server fails: ${reasonOf(error)}`;
    // Staff are told of a wrong address by the log. A family's is given up.
    if (kind !== 'enquiries' && isRefusal(error)) {
      this.#counts.refused++;
      log.info('an address was refused for good', { kind });
      return { status: 'failed', isRefused: true, problem: undefined } as const;
    }
    this.#counts.failed++;
    const nextAttemptAt = this.#schedule(attempts, clock.now());
    if (nextAttemptAt === undefined) this.#taken.delete(id);
    if (nextAttemptAt !== undefined) {
      log.error('could not send a mail; trying again', new Error(problem));
      return { status: 'pending', isRefused: false, nextAttemptAt, problem } as const;
    }
    this.#counts.given_up++;
    log.error('gave up a mail; enquiries are in the console', new Error(problem));
    return { status: 'failed', isRefused: false, problem } as const;
  }

  /** Writes a mail as things are now; undefined if there is nothing to tell any more. */
  async #write(
    { kind }: Mail,
    content: MailContent,
  ): Promise<{ readonly letters: readonly Letter[]; readonly toldUpTo?: number } | undefined> {
    const { storage, settings, keptDays } = this.#parts;
    const root = await this.#parts.root;
    const { count, quoted, alert } = content;
    if (kind === 'enquiries') {
      if (count === 0) return undefined;
      const readers = await readersOf(settings, storage);
      return { letters: readers.map((each) => writeStaffLetter(content, root, each)) };
    }
    const context: FamilyMailContext = { shop: await storage.shop.get(), root, keptDays };
    if (kind === 'copy') {
      const [enquiry] = quoted;
      return enquiry?.email === undefined ? undefined : { letters: [writeCopy(enquiry, context)] };
    }
    return alert && (await this.#writeAbout(kind, alert, context));
  }

  async #writeAbout(kind: Mail['kind'], alert: Alert, context: FamilyMailContext) {
    const { clock, animalsOf, searchText, linkOf } = this.#parts;
    const { language, confirmedAt, endsAt } = alert;
    if (endsAt <= clock.now()) return undefined;
    const search = await searchText(alert.search, language);
    if (kind === 'confirm_alert') {
      if (confirmedAt !== null) return undefined;
      const url = await linkOf(alert, 'confirm');
      return { letters: [writeConfirmation({ alert, search, url }, context)] };
    }
    const found = await animalsOf(alert, language);
    if (found === undefined) return undefined;
    const url = await linkOf(alert, 'end');
    const letter = writeAlert({ alert, search, url }, found.animals, found.count, context);
    return { letters: [letter], toldUpTo: found.newestAt };
  }
}
