import { type Html, html, type Part } from './html.ts';
import { type Messages, messagesIn } from './languages.ts';
import { linkTo, type PageContext, writePage } from './page.ts';

/** A query of the list: `species=dog&size=small`. */
type Search = string;

/** A link to the form of alerts for a search; nothing where there are no mails. */
export function alertLink(page: PageContext, search: Search): Part {
  if (!page.takesAlerts) return '';
  const address = search === '' ? '/adopt/alerts' : `/adopt/alerts?${search}`;
  return html`<p class="alert"><a class="quiet" rel="nofollow" href="${linkTo(page, address)}">${messagesIn(page.language).alerts.link}</a></p>`;
}

/** Says in words what a search finds; '' for all animals. */
export function searchText(search: Search, t: Messages): string {
  const said = [...new URLSearchParams(search)].map(([name, values]) => {
    const words = values.split(',').map((value) => wordOf(name, value, t));
    return name === 'q' || name === 'breed' ? `“${values}”` : words.join(', ');
  });
  return said.filter(Boolean).join(' · ');
}

/** The word of the pages for a value of a filter; the value itself if they have none. */
function wordOf(name: string, value: string, t: Messages): string {
  if (name === 'species') return t.species[value as keyof Messages['species']]?.[1] ?? value;
  if (name === 'status') return value === 'pending' ? t.reserved : '';
  if (name === 'children') {
    const age = t.childAges[value as keyof Messages['childAges']];
    return age === undefined ? value : `${t.youngestChild}: ${age}`;
  }
  const words: unknown = name === 'goodWith' ? t.companions : t[name as keyof Messages];
  const word: unknown = Object(words)[value];
  return typeof word === 'string' ? word : value;
}

/** What may be wrong with what somebody sent. */
type AlertProblem = keyof Messages['alerts']['problems'];

/** Writes the form with which families ask to be told of animals that match a search. */
export function renderAlertForm(
  page: PageContext,
  { search, email, problem }: { search: Search; email: string; problem: AlertProblem | undefined },
): string {
  const t = messagesIn(page.language);
  const { alerts: words } = t;
  const wrong = problem && html` aria-invalid="true" aria-describedby="email-problem"`;
  const told = problem && html`<strong id="email-problem">${words.problems[problem]}</strong>`;
  const main = html`<div class="narrow"><h1>${words.title}</h1><p>${words.lead}</p>
${searched(search, t)}
<form method="post" action="${linkTo(page, '/adopt/alerts')}" accept-charset="utf-8">
<input type="hidden" name="search" value="${search}">
<p class="field"><label for="email">${words.email}</label><input id="email" name="email"${wrong} type="email" required maxlength="254" autocomplete="email" value="${email}">${told}</p>
<p class="trap" aria-hidden="true"><label for="website">${t.form.trap}</label><input id="website" name="website" tabindex="-1" autocomplete="off"></p>
<p><button class="button" type="submit">${words.send}</button></p>
<p><small>${words.hint}</small></p>
</form></div>`;
  return writePage(page, { title: words.title, indexed: false, inOneLanguage: true, main });
}

const searched = (search: Search, t: Messages): Html =>
  html`<p><strong>${searchText(search, t) || t.alerts.any}</strong></p>`;

/** Writes the page that a link in a mail leads to: its button does what the link is for. */
export function renderAlertLink(
  page: PageContext,
  { link, token, search }: { link: 'confirm' | 'end'; token: string; search: Search },
): string {
  const t = messagesIn(page.language);
  const { alerts: words } = t;
  const title = link === 'confirm' ? words.confirmTitle : words.endTitle;
  const action = linkTo(page, `/adopt/alerts/${link}?token=${encodeURIComponent(token)}`);
  const main = html`<div class="narrow"><h1>${title}</h1>${searched(search, t)}
<form method="post" action="${action}"><p><button class="button" type="submit">${words[link]}</button></p></form></div>`;
  return writePage(page, { title, indexed: false, inOneLanguage: true, main });
}

/** What became of an alert. */
type AlertNote = 'asked' | 'confirmed' | 'ended' | 'over';

/** Writes the page that says what became of an alert. */
export function renderAlertNote(page: PageContext, note: AlertNote): string {
  const t = messagesIn(page.language);
  const title = t.alerts[note];
  const main = html`<div class="narrow"><h1>${title}</h1><p>${t.alerts[`${note}Lead`]}</p>
<p><a class="button" href="${linkTo(page, '/adopt')}">${t.seeAll}</a></p></div>`;
  return writePage(page, { title, indexed: false, inOneLanguage: true, main });
}
