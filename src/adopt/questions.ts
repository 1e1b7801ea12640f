import type { Question } from '../domain/question.ts';
import { ANSWER_MAX, PARAGRAPH_MAX } from '../domain/question.ts';
import { type Html, html, type Part } from './html.ts';
import type { Messages } from './languages.ts';

/** What the form shows of the questions of the shop. */
interface Asked {
  readonly questions: readonly Question[];
  readonly answers: Readonly<Partial<Record<string, string>>>;
  readonly wrongAnswers: readonly string[];
}

/** Writes the fields for the questions of the shop, with what was answered. */
export function questionFields({ questions, answers, wrongAnswers }: Asked, t: Messages): Part {
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
