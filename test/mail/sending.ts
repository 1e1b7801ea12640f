import { findListedSince, searchTextIn } from '../../src/adopt/alert-search.ts';
import { createFormSigning } from '../../src/domain/form-signing.ts';
import type { Storage } from '../../src/domain/storage.ts';
import { Runner } from '../../src/jobs/runner.ts';
import { Mails } from '../../src/mail/mails.ts';
import type { TestClock } from '../support/clock.ts';

export const ROOT = 'https://shop.example';

/** A header of a mail, with the lines that continue it. */
export const header = (raw: string, name: string) =>
  new RegExp(`^${name}:(.*(?:\r\n[ \t].*)*)`, 'mi').exec(raw)?.[1]?.trim() ?? '';

/** The text of a mail, decoded. */
export function textOf(raw: string): string {
  const [, body = ''] = raw.split(/\r\n\r\n(.*)/s);
  if (/^base64/i.test(header(raw, 'Content-Transfer-Encoding'))) {
    return Buffer.from(body, 'base64').toString().replaceAll('\r\n', '\n');
  }
  const joined = body.replaceAll(/=\r\n/g, '').replaceAll('\r\n', '\n');
  if (!/^quoted/i.test(header(raw, 'Content-Transfer-Encoding'))) return joined;
  const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_, hex) =>
    String.fromCharCode(parseInt(hex, 16)),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

/** Mails that a process sends. */
export type StartedMails = Pick<Mails, 'report'>;

/** Processes that send mails, and what they say. */
export type Sending = ReturnType<typeof createSending>;

/** Starts processes that send mails, as a server does. */
export function createSending(clock: TestClock) {
  const log: string[] = [];
  const noted: (string | undefined)[] = [];
  const runners: Runner[] = [];
  return {
    log,
    noted,
    start(smtp: string, storage: Storage): StartedMails {
      const { tokenOf } = createFormSigning(storage.shop);
      const logged = {
        info: (message: string) => log.push(message),
        error: (message: string, error?: unknown) => log.push(`${message} ${error}`),
      };
      const mails = new Mails({
        settings: { smtp, notify: ['staff@shop.example', 'two@shop.example'], mailFrom: undefined },
        ...{ storage, clock, keptDays: 180, root: Promise.resolve(ROOT), log: logged },
        animalsOf: (alert, language) =>
          findListedSince(storage.listings, ROOT, alert, language, clock.now()),
        searchText: async (search, language) => searchTextIn(search, language),
        linkOf: async (alert, what) =>
          `${ROOT}/adopt/alerts/${what}?token=${await tokenOf(alert, what)}&lang=${alert.language}`,
        noted: async (problem) => void noted.push(problem),
      });
      const runner = new Runner({ storage, clock, isFenced: () => false, log: logged }, [mails]);
      mails.runBy(runner);
      runner.start();
      runners.push(runner);
      return { report: () => mails.report() };
    },
    /** Ends all of them. */
    async end(): Promise<void> {
      await Promise.all(runners.splice(0).map((runner) => runner.end()));
    },
  };
}
