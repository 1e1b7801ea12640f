import type { PublicPages } from '../../adopt/pages.ts';
import { type Clock, HOUR_MS, SECOND_MS } from '../../domain/clock.ts';
import { type FormSigning, newAlertName } from '../../domain/form-signing.ts';
import type { Records } from '../../domain/records.ts';
import type { PageOrigins } from '../../http/page-origin.ts';
import type { HttpResponse } from '../../http/response.ts';
import { readQuery } from '../../http/target.ts';
import { type createFormReader, isEmail } from './public-forms.ts';
import type { RequestContext } from './request-context.ts';

/** A visit of the form of alerts, or of a page that a link in a mail leads to. It is charged already. */
export interface AlertVisit {
  readonly context: RequestContext;
  readonly part: 'confirm' | 'end' | 'thanks' | undefined;
  /** What the request is charged to. */
  readonly address: string;
  readonly pages: Awaited<ReturnType<PublicPages['alerts']>>;
}

interface AlertFormParts {
  readonly storage: Pick<Records, 'alerts'>;
  readonly read: ReturnType<typeof createFormReader>;
  readonly signing: FormSigning;
  readonly clock: Clock;
  readonly origins: Pick<PageOrigins, 'mayRead'>;
}

/** Creates the form with which families ask to be told of animals, and the pages that their mails lead to. */
export function createAlertForm({ storage, read, signing, clock, origins }: AlertFormParts) {
  const { alerts } = storage;

  async function ask({ context, address, pages }: AlertVisit): Promise<HttpResponse> {
    const { request, method, target } = context;
    const { respond, page, renderAlertForm, searchIn } = pages;
    if (method !== 'POST') {
      const search = searchIn(target.query);
      if (search === undefined) return pages.missing();
      return respond(200, renderAlertForm(page, { search, email: '', problem: undefined }));
    }
    const sent = await read(request, address);
    const email = sent.line('email');
    const search = searchIn(sent.line('search'));
    if (search === undefined) return pages.missing();
    const refuse = (status: number, problem: 'email' | 'again' | 'tooMany', headers = {}) =>
      respond(status, renderAlertForm(page, { search, email, problem }), headers);
    // A page of another site would send it in the name of its visitors.
    if (!origins.mayRead(request)) return refuse(403, 'again');
    if (!isEmail(email)) return refuse(400, 'email');
    // Only robots fill this field, or a program that fills forms for somebody: the next form has it empty.
    if (sent.line('website') !== '') return refuse(400, 'again');
    const [name, mailName] = [newAlertName(), crypto.randomUUID()];
    const hashes = {
      receiver: await signing.receiverOf(email),
      sender: await signing.sign(`sender ${address}`),
    };
    const alert = { name, email, search, language: page.language, mailName, ...hashes };
    if (!(await alerts.request(alert, clock.now()))) {
      return refuse(429, 'tooMany', { 'retry-after': `${HOUR_MS / SECOND_MS}` });
    }
    // The same page for every address, so that nobody learns which are known.
    return respond(303, '', { location: `/adopt/alerts/thanks?lang=${page.language}` });
  }

  /** What a link in a mail leads to. Programs follow links before people do, so only a click on its button counts. */
  async function follow({ context, pages }: AlertVisit, link: 'confirm' | 'end') {
    const { respond, page, renderAlertLink, renderAlertNote } = pages;
    const [token = ''] = readQuery(context.target.query).get('token') ?? [];
    const name = await signing.nameIn(token, link);
    const alert = name === undefined ? undefined : await alerts.find(name, clock.now());
    if (context.method !== 'POST') {
      if (alert === undefined)
        return respond(link === 'end' ? 200 : 404, renderAlertNote(page, 'over'));
      const isDone = link === 'confirm' && alert.confirmedAt !== null;
      if (isDone) return respond(200, renderAlertNote(page, 'confirmed'));
      return respond(200, renderAlertLink(page, { link, token, search: alert.search }));
    }
    // Who ends what has ended has what they want.
    if (link === 'end') {
      if (name !== undefined) await alerts.end(name);
      return name === undefined
        ? respond(404, renderAlertNote(page, 'over'))
        : respond(200, renderAlertNote(page, 'ended'));
    }
    const confirmed = name === undefined ? undefined : await alerts.confirm(name, clock.now());
    const isOn = confirmed !== undefined || alert?.confirmedAt != null;
    return respond(isOn ? 200 : 404, renderAlertNote(page, isOn ? 'confirmed' : 'over'));
  }

  return async (visit: AlertVisit): Promise<HttpResponse> => {
    const { part, pages } = visit;
    if (part === undefined) return ask(visit);
    if (part === 'thanks') return pages.respond(200, pages.renderAlertNote(pages.page, 'asked'));
    return follow(visit, part);
  };
}
