import { animalAddress } from '../domain/animal-address.ts';
import type { Listing } from '../domain/listing.ts';
import { ANSWER_MAX, PARAGRAPH_MAX, type Question } from '../domain/question.ts';
import { type Html, html, type Part } from './html.ts';
import { type Messages, messagesIn } from './languages.ts';
import { ADOPT_SCRIPT, linkTo, type PageContext, paragraphs, writePage } from './page.ts';
import { picture } from './photos.ts';

/** The fields of the form. `website` is the one that only robots fill. */
export const ENQUIRY_FIELDS = [
  'name',
  'email',
  'telephone',
  'message',
  'consent',
  'website',
] as const;
export type EnquiryField = (typeof ENQUIRY_FIELDS)[number];

/** What may be wrong with what somebody wrote. */
export type EnquiryProblem = keyof ReturnType<typeof messagesIn>['form']['problems'];

/** The form as it is shown. */
export interface EnquiryForm {
  readonly animal: Listing;
  /** As written; empty at first. */
  readonly values: Readonly<Partial<Record<EnquiryField, string>>>;
  /** What the shop asks of this animal, and what was answered, by the id of the question. */
  readonly questions: readonly Question[];
  readonly answers: Readonly<Partial<Record<string, string>>>;
  readonly problems: readonly EnquiryProblem[];
  /** The questions whose answers are wrong or missing. */
  readonly wrongAnswers: readonly string[];
  /** The signed time at which the form was made, for the hidden field `stamp`. */
  readonly stamp: string;
  /** The days after which an enquiry is erased. */
  readonly keptDays: number;
}

/** The field that a problem is shown at; the others concern the form as a whole. */
const FIELD_OF: Readonly<Partial<Record<EnquiryProblem, EnquiryField>>> = {
  name: 'name',
  contact: 'email',
  email: 'email',
  telephone: 'telephone',
  message: 'message',
  consent: 'consent',
};

/** Writes the page with the form of an animal. */
export function renderEnquiryForm(page: PageContext, form: EnquiryForm): string {
  const { animal, values, stamp, keptDays, wrongAnswers } = form;
  const problems: readonly EnquiryProblem[] =
    wrongAnswers.length > 0 ? [...form.problems, 'answer'] : form.problems;
  const { pet, photos } = animal;
  const t = messagesIn(page.language);
  const { form: words } = t;
  const address = animalAddress(pet);
  const field = (name: EnquiryField, control: (attributes: Html) => Html, hint?: Part) => {
    const own = problems.filter((problem) => FIELD_OF[problem] === name);
    const described = [hint && `${name}-hint`, own.length > 0 && `${name}-problem`].filter(Boolean);
    const attributes = html` id="${name}" name="${name}"${described.length > 0 && html` aria-describedby="${described.join(' ')}"`}${own.length > 0 && html` aria-invalid="true"`}`;
    return html`<p class="field">${control(attributes)}${hint && html`<small id="${name}-hint">${hint}</small>`}${own.length > 0 && html`<strong id="${name}-problem">${own.map((problem) => words.problems[problem])}</strong>`}</p>`;
  };
  const line = (name: 'name' | 'email' | 'telephone', more: Html, hint?: Part) =>
    field(
      name,
      (attributes) =>
        html`<label for="${name}">${words[name]}</label><input${attributes}${more} value="${values[name]}">`,
      hint,
    );
  const main = html`<div class="narrow">
<p><a href="${linkTo(page, address)}">← ${words.back(pet.name)}</a></p>
<div class="asked">${picture(animal, photos[0], page.language, '6rem', 'soon')}<div><h1>${words.title(pet.name)}</h1><p>${words.lead}</p></div></div>
${summary(page, problems, wrongAnswers)}
<form method="post" action="${linkTo(page, `/adopt/${pet.id}/enquiry`)}" accept-charset="utf-8">
<input type="hidden" name="stamp" value="${stamp}">
${line('name', html` required maxlength="100" autocomplete="name"`)}
${line('email', html` type="email" maxlength="254" autocomplete="email"`, words.contactHint)}
${line('telephone', html` type="tel" maxlength="50" autocomplete="tel"`)}
${field('message', (attributes) => html`<label for="message">${words.message}</label><textarea${attributes} required maxlength="2000" rows="7">\n${values.message}</textarea>`, words.messageHint)}
${questionFields(form, t)}
<p class="trap" aria-hidden="true"><label for="website">${words.trap}</label><input id="website" name="website" tabindex="-1" autocomplete="off" value="${values.website}"></p>
${field('consent', (attributes) => html`<label class="check"><input type="checkbox"${attributes} value="yes" required${values.consent && html` checked`}> ${words.consent}</label>`, words.consentHint(keptDays))}
<p><button class="button" type="submit">${words.send}</button></p>
</form></div>`;
  return writePage(page, {
    title: words.title(pet.name),
    address: `/adopt/${pet.id}/enquiry`,
    indexed: false,
    inOneLanguage: true,
    head: problems.length > 0 && ADOPT_SCRIPT,
    main,
  });
}

/** Problems that a call may solve. */
const TO_CALL: readonly EnquiryProblem[] = ['tooMany', 'full'];

function summary(
  { shop, language }: PageContext,
  problems: readonly EnquiryProblem[],
  [wrongAnswer]: readonly string[],
): Part {
  if (problems.length === 0) return '';
  const { form: words, callUs } = messagesIn(language);
  const calls = shop.telephone !== null && problems.some((problem) => TO_CALL.includes(problem));
  const items = problems.map((problem) => {
    const field = problem === 'answer' ? `answer-${wrongAnswer}` : FIELD_OF[problem];
    const text = words.problems[problem];
    return html`<li>${field === undefined ? text : html`<a href="#${field}">${text}</a>`}</li>`;
  });
  return html`<div class="problems" role="alert"><h2>${words.wrong}</h2><ul>${items}</ul>${calls && html`<p>${callUs(shop.telephone ?? '')}</p>`}</div>`;
}

/** Writes the page after an enquiry: what happens next. */
export function renderThanks(
  page: PageContext,
  animal: Pick<Listing, 'pet'>,
  sendsMails: boolean,
): string {
  const t = messagesIn(page.language);
  const { name, id } = animal.pet;
  const { howToAdopt } = page.shop;
  const main = html`<div class="narrow"><h1>${t.thanks}</h1><p>${t.thanksLead(name)}</p>${sendsMails && html`<p>${t.thanksCopy}</p>`}
<ol>${t.thanksNext.map((step) => html`<li>${step}</li>`)}</ol>
${howToAdopt && html`<h2>${t.howToAdopt}</h2>${paragraphs(howToAdopt)}`}
<p><a class="button" href="${linkTo(page, '/adopt')}">${t.seeAll}</a></p></div>`;
  return writePage(page, { title: t.thanks, address: `/adopt/${id}/thanks`, indexed: false, main });
}

/** What the form shows of the questions of the shop. */
interface Asked {
  readonly questions: readonly Question[];
  readonly answers: Readonly<Partial<Record<string, string>>>;
  readonly wrongAnswers: readonly string[];
}

/** Writes the fields for the questions of the shop, with what was answered. */
function questionFields({ questions, answers, wrongAnswers }: Asked, t: Messages): Part {
  return questions.map((question) =>
    questionField(question, answers[question.id] ?? '', wrongAnswers.includes(question.id), t),
  );
}

function questionField(question: Question, answer: string, isWrong: boolean, t: Messages): Html {
  const { id, label, kind, required } = question;
  const name = `answer-${id}`;
  const attributes = html` id="${name}" name="${name}"${required && html` required`}${isWrong && html` aria-invalid="true" aria-describedby="${name}-problem"`}`;
  const words = html`${label}${!required && html` <small>(${t.answers.optional})</small>`}`;
  const problem = isWrong && html`<strong id="${name}-problem">${t.answers.wrong}</strong>`;
  return html`<p class="field"><label for="${name}">${words}</label>${control(question, attributes, answer, t)}${problem}</p>`;

  function control(
    { options }: Question,
    own: Html,
    value: string,
    { yes, no, answers }: Messages,
  ) {
    const choice = (each: string, text: string) =>
      html`<option value="${each}"${each === value && html` selected`}>${text}</option>`;
    const select = (choices: Part) =>
      html`<select${own}><option value="">${answers.choose}</option>${choices}</select>`;
    switch (kind) {
      case 'paragraph':
        return html`<textarea${own} maxlength="${PARAGRAPH_MAX}" rows="4">\n${value}</textarea>`;
      case 'yes_no':
        return select([choice('yes', yes), choice('no', no)]);
      case 'choice':
        return select(options.map((option) => choice(option, option)));
      case 'number':
        return html`<input${own} inputmode="decimal" maxlength="14" pattern="-?[0-9]{1,9}([.,][0-9]{1,3})?" value="${value}">`;
      case 'text':
        return html`<input${own} maxlength="${ANSWER_MAX}" value="${value}">`;
    }
  }
}
