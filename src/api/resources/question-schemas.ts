import * as z from 'zod';
import { SPECIES } from '../../domain/profile.ts';
import {
  OPTION_MAX,
  OPTIONS_MAX,
  PARAGRAPH_MAX,
  QUESTION_ID,
  QUESTION_KINDS,
  QUESTION_LABEL_MAX,
  QUESTIONS_MAX,
  type Question,
  questionsProblem,
} from '../../domain/question.ts';
import { nameInBody, oneOf, orRequired, textInBody } from '../contract/request-fields.ts';
import { linesOut, nameOut, recordOut } from '../contract/response-fields.ts';

const ID = 'Names the question and its answers: small letters, digits, `-` and `_`.';
const LABEL = 'What is asked.';
const KIND = oneOf(QUESTION_KINDS).meta({
  id: 'QuestionKind',
  description:
    'How it is answered: a line, several lines, `yes` or `no`, one of the `options`, or a number.',
});
const REQUIRED = 'Whether it must be answered.';
const OPTIONS = 'The answers to choose from, for a `choice` alone.';
const OF_SPECIES = 'The species of the animals that it is asked of. Without it: of all.';
const ID_MAX = 40;

const idInBody = textInBody(
  (text) =>
    QUESTION_ID.test(text) ? undefined : 'must be small letters, digits, - and _, at most 40',
  ID,
  ID_MAX,
  QUESTION_ID.source,
);

function list<S extends z.ZodType>(item: S, max: number, description: string) {
  const error = orRequired(`must be a list of at most ${max}`);
  return z.array(item, { error }).max(max, { error }).meta({ description });
}

const questionInBody = z
  .object(
    {
      id: idInBody,
      label: nameInBody(LABEL, QUESTION_LABEL_MAX),
      kind: KIND,
      required: z
        .boolean({ error: orRequired('must be true or false') })
        .optional()
        .meta({ description: `${REQUIRED} \`false\` by default.` }),
      options: list(nameInBody('An answer.', OPTION_MAX), OPTIONS_MAX, OPTIONS).optional(),
      species: list(oneOf(SPECIES), SPECIES.length, OF_SPECIES).min(1).optional(),
    },
    { error: orRequired('must be an object') },
  )
  .meta({ id: 'NewQuestion', description: 'A question that the form of an animal asks.' });

const DESCRIPTION = 'What the form of an animal asks besides a message, in this order.';

/** The questions in a request body: all of them; null is none. */
export const questionsInBody = list(questionInBody, QUESTIONS_MAX, DESCRIPTION)
  .transform((given, context): readonly Question[] => {
    const questions = given.map(({ required = false, options = [], species, ...question }) => ({
      ...question,
      ...{ required, options, species },
    }));
    const problem = questionsProblem(questions);
    if (problem !== undefined) context.addIssue({ code: 'custom', message: problem });
    return questions;
  })
  .nullable()
  .transform((questions) => questions ?? [])
  .meta({ description: `${DESCRIPTION} \`null\` clears them.` });

const questionOut = recordOut('Question', 'A question that the form of an animal asks.', () => ({
  id: nameOut(ID, ID_MAX),
  label: nameOut(LABEL, QUESTION_LABEL_MAX),
  kind: KIND,
  required: z.boolean().meta({ description: REQUIRED }),
  options: z
    .array(nameOut('An answer.', OPTION_MAX))
    .meta({ description: OPTIONS, maxItems: OPTIONS_MAX }),
  species: z
    .array(z.enum(SPECIES))
    .optional()
    .meta({ description: OF_SPECIES, minItems: 1, maxItems: SPECIES.length }),
}));

/** The questions in a response body. */
export const questionsOut = () =>
  z.array(questionOut).meta({ description: DESCRIPTION, maxItems: QUESTIONS_MAX });

const answerOut = recordOut('Answer', 'The answer to a question of the shop.', () => ({
  id: nameOut('The id of the question.', ID_MAX),
  label: nameOut('What was asked, as the form said it.', QUESTION_LABEL_MAX),
  answer: linesOut('What was answered: text; `yes` or `no` to a `yes_no`.', PARAGRAPH_MAX),
}));

/** The answers in a response body. */
export function answersOut(description: string) {
  return z.array(answerOut).meta({ description, maxItems: QUESTIONS_MAX });
}
