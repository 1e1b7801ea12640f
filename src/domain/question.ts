import type { Species } from './profile.ts';

export const QUESTION_KINDS = ['text', 'paragraph', 'yes_no', 'choice', 'number'] as const;
export type QuestionKind = (typeof QUESTION_KINDS)[number];

export const QUESTIONS_MAX = 20;
export const QUESTION_LABEL_MAX = 200;
export const OPTIONS_MAX = 20;
export const OPTION_MAX = 100;
/** The longest answer of a line, and of a paragraph. */
export const ANSWER_MAX = 200;
export const PARAGRAPH_MAX = 1_000;
export const QUESTION_ID = /^[a-z0-9](?:[a-z0-9_-]{0,38}[a-z0-9])?$/;

/** A question that the shop asks in the form of an animal. */
export type Question = {
  /** Identifies its answers, even after the label has changed. */
  readonly id: string;
  readonly label: string;
  readonly kind: QuestionKind;
  readonly required: boolean;
  /** The options of a `choice`; empty for other kinds. */
  readonly options: readonly string[];
  /** The species of the animals that it is asked of; undefined: all. */
  readonly species: readonly Species[] | undefined;
};

/** Returns what is wrong with the questions of a shop; undefined if nothing is. */
export function questionsProblem(questions: readonly Question[]): string | undefined {
  const ids = questions.map(({ id }) => id);
  const twice = ids.find((id, n) => ids.indexOf(id) !== n);
  if (twice !== undefined) return `must have each id once, not ${twice} twice`;
  const odd = questions.find(({ kind, options }) =>
    kind === 'choice' ? new Set(options).size < 2 : options.length > 0,
  );
  if (odd === undefined) return undefined;
  return odd.kind === 'choice'
    ? `must have at least two different options for the choice ${odd.id}`
    : `must have no options for ${odd.id}, which is no choice`;
}

/** Returns the questions that are asked of an animal. */
export function questionsFor(
  questions: readonly Question[],
  species: Species | null,
): readonly Question[] {
  return questions.filter(
    (question) => question.species === undefined || (species && question.species.includes(species)),
  );
}

const NUMBER = /^-?\d{1,9}(?:[.,]\d{1,3})?$/;

/** Returns whether a text is a valid answer; an empty one is, unless it is required. Line breaks are `\n`. */
export function isAnswer({ kind, required, options }: Question, text: string): boolean {
  if (text === '') return !required;
  switch (kind) {
    case 'text':
      return [...text].length <= ANSWER_MAX;
    case 'paragraph':
      return [...text].length <= PARAGRAPH_MAX;
    case 'yes_no':
      return text === 'yes' || text === 'no';
    case 'choice':
      return options.includes(text);
    case 'number':
      return NUMBER.test(text);
  }
}
