import { timeBetween } from '../domain/age.ts';
import { dateText, type Profile } from '../domain/profile.ts';
import { type Html, html, type Part } from './html.ts';
import { type Icon, icon } from './icons.ts';
import { dateIn, type Language, localeOf, type Messages, messagesIn } from './languages.ts';
import { type PageContext, written } from './page.ts';

/** Returns the breed in words; undefined if nothing is known of it. */
export function breedOf({ breed, secondBreed, mixed }: Profile, t: Messages): string | undefined {
  if (breed === null) return undefined;
  if (secondBreed !== null) return t.mixOf(breed, secondBreed);
  return mixed === true ? t.mix(breed) : breed;
}

/** Returns the age in words, as exactly as it is known; undefined if it is not. The birth date stays inside. */
export function ageOf(profile: Profile, at: number, t: Messages): string | undefined {
  const { birthDate, birthDatePrecision, ageGroup } = profile;
  if (birthDate === null) return ageGroup === null ? undefined : t.ageGroup[ageGroup];
  const [number, unit] = timeBetween(birthDate, dateText(at), birthDatePrecision ?? 'day');
  if (number === 0) return t.youngest[unit];
  const age = t.duration(number, unit);
  return birthDatePrecision === 'day' ? age : t.about(age);
}

/** Returns how long an animal has waited; undefined if nobody said since when it is here. */
export function waitOf({ inCareSince }: Profile, at: number, t: Messages): string | undefined {
  if (inCareSince === null) return undefined;
  const [number, unit] = timeBetween(inCareSince, dateText(at));
  return number === 0 ? undefined : t.waiting(number, unit);
}

/** The facts that a card shows on one line. */
export function shortFacts(profile: Profile, at: number, t: Messages): string {
  const [species] = t.species[profile.species ?? 'other'];
  const sex = profile.sex && t.sex[profile.sex];
  // A line may end with a dot, and never begins with one.
  return [breedOf(profile, t) ?? species, sex, ageOf(profile, at, t)]
    .filter(Boolean)
    .join('\u00a0· ');
}

/** Returns the fee in words, in the currency's own form. */
function feeOf({ fee }: Profile, language: Language, t: Messages): string {
  if (fee === null) return t.askUs;
  if (fee.amount === 0) return t.freeOfCharge;
  try {
    const format = new Intl.NumberFormat(localeOf(language), {
      style: 'currency',
      currency: fee.currency,
    });
    const digits = format.resolvedOptions().maximumFractionDigits ?? 0;
    return format.format(fee.amount / 10 ** digits).replace(/[.,]00(?=\D*$)/, '');
  } catch {
    // Three letters that are no currency.
    return `${fee.amount / 100} ${fee.currency}`;
  }
}

type Fact = readonly [icon: Exclude<Icon, 'telephone'>, value: Part];

/** Signs for a card, where they are known: the size of an animal, and whom it gets on with. */
export function signs(profile: Profile, t: Messages): Html {
  const { size, goodWithChildren: children, goodWithDogs: dogs, goodWithCats: cats } = profile;
  const signs = [
    size && sign('size', size, t.size[size]),
    children && sign('children', children, t.signs.children[children]),
    dogs && sign('dogs', dogs, t.signs.dogs[dogs]),
    cats && sign('cats', cats, t.signs.cats[cats]),
  ].filter((one) => one !== null);
  return signs.length === 0 ? html`` : html`<ul class="signs">${signs}</ul>`;
}

const sign = (name: Icon, value: string, words: string) =>
  html`<li${value === 'no' && html` class="no"`}>${icon(name)}${words}</li>`;

/** Returns the weight in words, to the grams where it is little. */
function weightOf(grams: number, language: Language): string {
  const number = (value: number, digits: number) =>
    value.toLocaleString(localeOf(language), { maximumFractionDigits: digits });
  if (grams < 1_000) return `${number(grams, 0)} g`;
  const kilograms = grams / 1_000;
  const metric = `${number(kilograms, kilograms < 10 ? 1 : 0)} kg`;
  return language === 'en' ? `${metric} (${number(grams / 453.592, 0)} lb)` : metric;
}

/** Facts under a title; those that are not known are one line. */
function group(title: string, facts: readonly Fact[], t: Messages): Html {
  const isKnown = ([, value]: Fact) => value !== null && value !== undefined;
  const items = facts
    .filter(isKnown)
    .map(
      ([name, value]) => html`<div><dt>${icon(name)}${t.labels[name]}</dt><dd>${value}</dd></div>`,
    );
  const unknown = facts.filter((fact) => !isKnown(fact)).map(([name]) => t.labels[name]);
  return html`<section class="facts"><h2>${title}</h2>${items.length > 0 && html`<dl>${items}</dl>`}${unknown.length > 0 && html`<p class="unknown">${t.unknown(unknown.join(', '))}</p>`}</section>`;
}

/** Everything that is known of an animal, with what is not known yet where readers ask for it. */
export function factGroups(profile: Profile, page: PageContext): Html {
  const { language, at } = page;
  const t = messagesIn(language);
  const { sex, size, coat, colours, energy, weightGrams, specialNeeds, specialNeedsNote } = profile;
  const [species] = t.species[profile.species ?? 'other'];
  const yesNo = (value: boolean | null) => (value === null ? null : value ? t.yes : t.no);
  const company = (value: Profile['goodWithDogs'] | Profile['goodWithChildren']) =>
    value && t[value];
  const looks = [coat && t.coat[coat], colours?.join(', ')].filter(Boolean).join('; ');
  const glance: (Fact | false)[] = [
    ['species', [species, breedOf(profile, t)].filter(Boolean).join(', ')],
    ['sex', sex && t.sex[sex]],
    ['age', ageOf(profile, at, t)],
    ['size', size && t.size[size]],
    weightGrams !== null && ['weight', weightOf(weightGrams, language)],
    looks !== '' && ['coat', looks],
    energy !== null && ['energy', t.energy[energy]],
    profile.inCareSince !== null && ['inCare', t.since(dateIn(language, profile.inCareSince))],
    ['fee', feeOf(profile, language, t)],
  ];
  const needs =
    specialNeeds === true && specialNeedsNote
      ? html`<span${written(page)}>${specialNeedsNote}</span>`
      : yesNo(specialNeeds);
  return html`${group(
    t.facts,
    glance.filter((fact) => fact !== false),
    t,
  )}
${group(
  t.together,
  [
    ['children', company(profile.goodWithChildren)],
    ['dogs', company(profile.goodWithDogs)],
    ['cats', company(profile.goodWithCats)],
  ],
  t,
)}
${group(
  t.health,
  [
    ['neutered', yesNo(profile.neutered)],
    ['vaccinated', yesNo(profile.vaccinated)],
    ['houseTrained', yesNo(profile.houseTrained)],
    ['specialNeeds', needs],
  ],
  t,
)}`;
}
