import type { Listing } from '../domain/listing.ts';
import type { Pet } from '../domain/pet.ts';
import { alertLink } from './alerts.ts';
import { others } from './animal.ts';
import { html, type Part } from './html.ts';
import { type Messages, messagesIn } from './languages.ts';
import { type PageContext, writePage } from './page.ts';

/** Pages that say something instead of showing an animal, with the words of each. */
const NOTICES = {
  gone: (t: Messages) => [t.gone, t.goneLead],
  missing: (t: Messages) => [t.missing, t.missingLead],
  wrongFilter: (t: Messages) => [t.wrongFilter, t.wrongFilterLead],
} as const;
export type Notice = keyof typeof NOTICES;

/** Writes a page that says why there is nothing here, and leads on. */
export function renderNotice(
  page: PageContext,
  notice: Notice,
  animals: readonly Listing[],
): string {
  const [title = '', lead] = NOTICES[notice](messagesIn(page.language));
  return noticePage(page, title, lead, animals);
}

/** Writes the page of an animal that was adopted not long ago. `search` finds animals like it. */
export function renderGoodbye(
  page: PageContext,
  { name }: Pick<Pet, 'name'>,
  search: string,
  animals: readonly Listing[],
): string {
  const t = messagesIn(page.language);
  return noticePage(page, t.goodbye(name), t.goodbyeLead, animals, alertLink(page, search));
}

/** Writes the page for a reader who asked for too many. */
export function renderTooMany(page: PageContext, seconds: number): string {
  const t = messagesIn(page.language);
  return noticePage(page, t.tooMany, t.tooManyLead(seconds), []);
}

function noticePage(
  page: PageContext,
  title: string,
  lead: string | undefined,
  animals: readonly Listing[],
  more: Part = '',
): string {
  const main = html`<div class="welcome"><h1>${title}</h1><p class="lead">${lead}</p>${more}</div>${others(page, animals)}`;
  return writePage(page, { title, indexed: false, main });
}
