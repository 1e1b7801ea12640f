/** What the form of an animal asks besides a message. */

import { SPECIES } from '../../../domain/profile.ts';
import {
  OPTION_MAX,
  OPTIONS_MAX,
  QUESTION_KINDS,
  QUESTION_LABEL_MAX,
  QUESTIONS_MAX,
} from '../../../domain/question.ts';
import { Button } from '../../components/button.tsx';
import { type Confirmation, open } from '../../components/dialog.tsx';
import { Field, Select } from '../../components/field.tsx';
import { FormDialog, linesOf, type ReadField } from '../../components/form.tsx';
import { Section } from '../../components/states.tsx';
import { t } from '../../language.ts';
import { submit } from '../../outbox.tsx';
import { type Question, type Shop, store } from '../../service.ts';
import { may } from '../../session.ts';
import { optionsOf, statusName } from '../../words.ts';

const KINDS: Readonly<Record<Question['kind'], string>> = {
  text: t`One line`,
  paragraph: t`Several lines`,
  yes_no: t`Yes or no`,
  choice: t`A choice`,
  number: t`A number`,
};

/** The questions, in their order, for those who may change them. */
export function ShopQuestions({ shop }: { readonly shop: Shop }) {
  const { questions } = shop;
  const mayChange = may('admin');
  return (
    <Section id="questions" title={t`Questions to families`}>
      <p class="hint">{t`The form of an animal asks these besides a message, in this order.`}</p>
      {questions.length > 0 && (
        <ol class="stack shop-questions">
          {questions.map((question, n) => (
            <li key={question.id}>
              <span class="written">{question.label}</span>{' '}
              <span class="hint">{described(question)}</span>{' '}
              {mayChange && (
                <span class="row">
                  <Button
                    kind="quiet small"
                    label={t`Edit: ${question.label}`}
                    onClick={() => open(<QuestionDialog shop={shop} of={question} />)}
                  >{t`Edit`}</Button>
                  {n > 0 && (
                    <Button
                      kind="quiet small"
                      label={t`Move up: ${question.label}`}
                      onClick={() =>
                        save(shop, (all) => movedUp(all, question), t`The order is saved.`)
                      }
                    >{t`Move up`}</Button>
                  )}
                  <Button
                    kind="quiet small"
                    label={t`Remove: ${question.label}`}
                    onClick={() => remove(shop, question)}
                  >{t`Remove`}</Button>
                </span>
              )}
            </li>
          ))}
        </ol>
      )}
      {mayChange && questions.length < QUESTIONS_MAX && (
        <Button
          onClick={() => open(<QuestionDialog shop={shop} of={undefined} />)}
        >{t`Add question`}</Button>
      )}
    </Section>
  );
}

function described({ kind, required, options, species }: Question): string {
  const whom = species?.map((each) => statusName(each)).join(', ');
  const parts = [
    KINDS[kind],
    options.join(' / '),
    required && t`required`,
    whom && t`only ${whom}`,
  ];
  return parts.filter(Boolean).join(' · ');
}

function movedUp(questions: readonly Question[], { id }: Question): readonly Question[] {
  const at = questions.findIndex((one) => one.id === id);
  const [before, moved] = [questions[at - 1], questions[at]];
  return before && moved ? questions.toSpliced(at - 1, 2, moved, before) : questions;
}

interface QuestionDialogProps {
  readonly shop: Shop;
  /** Undefined for a new one. */
  readonly of: Question | undefined;
}

function QuestionDialog({ shop, of }: QuestionDialogProps) {
  return (
    <FormDialog
      title={of === undefined ? t`Add question` : t`Edit question`}
      of={of}
      action={t`Save`}
      onSubmit={(field, form) => {
        const species = form.getAll('species').map(String);
        const change = (all: readonly Question[]) => {
          const at = all.findIndex(({ id }) => id === of?.id);
          const changed = questionIn(all, of, field, species);
          return at < 0 ? [...all, changed] : all.with(at, changed);
        };
        return save(shop, change, t`The question is saved.`);
      }}
    >
      <Field
        label={t`Question`}
        name="label"
        maxLength={QUESTION_LABEL_MAX}
        required
        needs={t`a question`}
      />
      <Select label={t`Answer`} name="kind" options={Object.entries(KINDS)} />
      <Field
        label={t`Options`}
        name="options"
        type="textarea"
        rows={4}
        value={of?.options.join('\n') ?? ''}
        check={optionsProblem}
        hint={t`Only for a choice: one per line, at least 2 and at most ${OPTIONS_MAX}.`}
      />
      <Select
        label={t`Must it be answered?`}
        name="required"
        value={of?.required ? 'yes' : 'no'}
        options={optionsOf(['no', 'yes'])}
      />
      <fieldset class="event-types">
        <legend>{t`Asked of`}</legend>
        <p class="hint">{t`Without a choice, of all animals.`}</p>
        <div class="row">
          {SPECIES.map((species) => (
            <label key={species} class="row">
              <input
                type="checkbox"
                name="species"
                value={species}
                defaultChecked={of?.species?.includes(species) ?? false}
              />{' '}
              {statusName(species)}
            </label>
          ))}
        </div>
      </fieldset>
    </FormDialog>
  );
}

function optionsProblem(text: string): string | undefined {
  const options = linesOf(text);
  if (options.length > OPTIONS_MAX) return t`Enter at most ${OPTIONS_MAX} options.`;
  const isLong = options.some((option) => [...option].length > OPTION_MAX);
  return isLong ? t`Enter at most ${OPTION_MAX} characters for each option.` : undefined;
}

function questionIn(
  all: readonly Question[],
  of: Question | undefined,
  field: ReadField,
  chosen: readonly string[],
): Question {
  const kind = QUESTION_KINDS.find((each) => each === field('kind')) ?? 'text';
  const species = SPECIES.filter((each) => chosen.includes(each));
  return {
    id: of?.id ?? newId(all, field('label')),
    label: field('label'),
    kind,
    required: field('required') === 'yes',
    options: kind === 'choice' ? linesOf(field('options')) : [],
    ...(species.length > 0 && { species }),
  };
}

/** Returns an id that is free, made of the words of a question: people read it in exported files. */
function newId(questions: readonly Question[], label: string): string {
  const words = label
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-');
  const name = words.slice(0, 30).replaceAll(/^-+|-+$/g, '') || 'question';
  const isFree = (id: string) => questions.every((question) => question.id !== id);
  if (isFree(name)) return name;
  const n = questions.findIndex((_, place) => isFree(`${name}-${place + 2}`));
  return `${name}-${n + 2}`;
}

function remove(shop: Shop, { id, label }: Question): Promise<boolean> {
  const left = (all: readonly Question[]) => all.filter((question) => question.id !== id);
  const text = t`“${label}” is no longer asked. Answers already given stay in their enquiries.`;
  const asks = { title: t`Remove this question?`, text, action: t`Remove` };
  return save(shop, left, t`The question is removed.`, asks);
}

/** Changes the list as it is now: somebody else may have changed it since this page showed it. */
async function save(
  shop: Shop,
  change: (all: readonly Question[]) => readonly Question[],
  says: string,
  asks?: Confirmation,
): Promise<boolean> {
  const { questions } = await store.shop.get().catch(() => shop);
  return submit<Shop>({
    label: t`Change the questions to families`,
    call: (to) => to.shop.update({ questions: change(questions) }),
    says,
    ...(asks && { asks }),
  });
}
