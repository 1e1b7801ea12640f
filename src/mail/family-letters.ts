import type { Alert } from '../domain/alert.ts';
import type { QuotedEnquiry } from '../domain/mail.ts';
import type { Shop } from '../domain/shop.ts';
import { de } from './messages/de.ts';
import { en, type MailMessages } from './messages/en.ts';
import { es } from './messages/es.ts';
import type { Letter } from './send.ts';
import { oneLine, quotedLines } from './staff-letter.ts';

const LANGUAGES: Readonly<Record<string, MailMessages>> = { en, de, es };
const messagesIn = (language: string) => LANGUAGES[language] ?? en;

/** What every mail to families needs to know. */
export interface FamilyMailContext {
  readonly shop: Shop;
  /** The public address without a path. */
  readonly root: string;
  /** The days after which enquiries are erased. */
  readonly keptDays: number;
}

/** An animal as a mail names it. */
export interface ToldAnimal {
  readonly name: string;
  readonly facts: string;
  readonly url: string;
}

/** A mail about an alert. Its links are signed. */
interface AlertLetter {
  readonly alert: Alert;
  /** The search in words; empty for all animals. */
  readonly search: string;
  readonly url: string;
}

/** Writes the copy of an enquiry for who sent it. */
export function writeCopy(enquiry: QuotedEnquiry, context: FamilyMailContext): Letter {
  const { shop, root, keptDays } = context;
  const { petId, petName, message, answers, language, email = '' } = enquiry;
  const t = messagesIn(language);
  const animal = petName === null ? t.anAnimal : oneLine(petName);
  const said = [
    ...quotedLines(message),
    ...answers.flatMap(({ label, answer }) => [oneLine(label), ...quotedLines(answer)]),
  ];
  const written = said.join('\n');
  const copied = withoutLinks(written);
  return letterTo(email, context, language, t.copySubject(animal), [
    t.copy(animal),
    `${petName === null ? '' : `${animal}: `}${root}/adopt/${petId}?lang=${language}`,
    `${t.copyNext}\n${t.next.map((step, n) => `${n + 1}. ${step}`).join('\n')}`,
    ...(shop.telephone === null ? [] : [t.call(oneLine(shop.telephone))]),
    ...(shop.hours === null ? [] : [`${t.hours}\n${shop.hours}`]),
    `${t.wrote}\n${copied}`,
    ...(copied === written ? [] : [t.withoutLinks]),
    t.kept(keptDays),
    t.notYou,
  ]);
}

/** Writes the mail whose link confirms an alert. */
export function writeConfirmation(
  { alert, search, url }: AlertLetter,
  context: FamilyMailContext,
): Letter {
  const t = messagesIn(alert.language);
  return letterTo(alert.email, context, alert.language, t.confirmSubject, [
    `${t.confirm}\n${withoutLinks(oneLine(search)) || t.anySearch}`,
    `${t.confirmLink}\n${url}`,
    t.confirmElse,
  ]);
}

/** Writes the mail with animals that match an alert, `count` in all. */
export function writeAlert(
  { alert, search, url }: AlertLetter,
  animals: readonly ToldAnimal[],
  count: number,
  context: FamilyMailContext,
): Letter {
  const { language, endsAt, email, search: query } = alert;
  const t = messagesIn(language);
  const list = `${context.root}/adopt?${[query, `lang=${language}`].filter(Boolean).join('&')}`;
  const more = count - animals.length;
  const letter = letterTo(email, context, language, t.alertSubject(count), [
    t.alert(count),
    ...animals.map(({ name, facts, url: page }) => {
      return [oneLine(name), oneLine(facts), page].filter(Boolean).join('\n');
    }),
    ...(more > 0 ? [`${t.more(more)}\n${list}`] : []),
    `${t.search} ${oneLine(search) || t.anySearch}\n${t.once} ${t.until(dateIn(language, endsAt))}`,
    `${t.end}\n${url}`,
  ]);
  return { ...letter, endAddress: url };
}

function letterTo(
  address: string,
  { shop }: FamilyMailContext,
  language: string,
  subject: string,
  paragraphs: readonly string[],
): Letter {
  const t = messagesIn(language);
  const name = shop.name === null ? t.shelter : oneLine(shop.name);
  return {
    from: name,
    language,
    to: [address],
    replyTo: shop.email ?? undefined,
    subject,
    text: `${[t.hello, ...paragraphs, t.regards(name)].join('\n\n')}\n`,
  };
}

/**
 * A stranger chooses who gets the copy: without links, or what programs make links of, it is no use for advertising or
 * for stealing passwords.
 */
const LINKS =
  /\b[a-z][a-z\d+.-]{1,20}:\/\/\S+|(?:[\p{L}\d-]{1,63}\.){1,8}\p{L}{2,24}(?:[/?#:]\S*)?/giu;

function withoutLinks(text: string): string {
  return text.replace(LINKS, '[…]');
}

function dateIn(language: string, at: number): string {
  const locale = language === 'en' ? 'en-GB' : language;
  return new Date(at).toLocaleDateString(locale, { dateStyle: 'long', timeZone: 'UTC' });
}
