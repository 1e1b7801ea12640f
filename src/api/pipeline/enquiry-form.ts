import { type Clock, DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/clock.ts';
import { type Answer, ENQUIRER_MAX, MESSAGE_MAX, type NewEnquiry } from '../../domain/enquiry.ts';
import { Failure } from '../../domain/failure.ts';
import { type FormSigning, isSame } from '../../domain/form-signing.ts';
import { linesProblem, nameProblem } from '../../domain/name.ts';
import { isAnswer, type Question, questionsFor } from '../../domain/question.ts';
import type { Records } from '../../domain/records.ts';
import { TELEPHONE_MAX } from '../../domain/shop.ts';
import type { PageOrigins } from '../../http/page-origin.ts';
import type { HttpResponse } from '../../http/response.ts';
import { type createFormReader, isEmail, type SentForm } from './public-forms.ts';
import type { FormVisit } from './public-pages.ts';

/** Nobody writes faster than this; and nobody leaves a page open for longer. */
const WRITTEN_MIN_MS = 3 * SECOND_MS;
const WRITTEN_MAX_MS = DAY_MS;

type EnquiryPage = Parameters<FormVisit['form']['renderEnquiryForm']>[1];
type EnquiryProblem = EnquiryPage['problems'][number];
/** What somebody wrote, by field. */
interface Written {
  readonly values: EnquiryPage['values'];
  /** By the id of the question. */
  readonly answers: EnquiryPage['answers'];
  readonly stamp: string | undefined;
}
interface Refusal {
  readonly status: number;
  readonly problems: readonly EnquiryProblem[];
  /** The questions whose answers are wrong or missing. */
  readonly wrongAnswers?: readonly string[];
  readonly retryMs?: number;
}

interface EnquiryFormParts {
  readonly storage: Pick<Records, 'enquiries'>;
  readonly read: ReturnType<typeof createFormReader>;
  readonly signing: FormSigning;
  readonly clock: Clock;
  readonly origins: Pick<PageOrigins, 'mayRead'>;
  readonly enquiriesKeepMs: number;
  /** Whether there is a mail server. */
  readonly sendsMails: boolean;
}

/** Creates the time stamps of forms. */
function createStamps({ sign }: Pick<FormSigning, 'sign'>, clock: Clock) {
  const stampAt = async (time: number, petId: bigint) =>
    `${time}.${await sign(`form ${petId} ${time}`)}`;

  /** Says what is wrong with the time at which the form was made. */
  async function problemOf(stamp: string, petId: bigint): Promise<'early' | 'late' | undefined> {
    const time = Number(/^\d{1,15}(?=\.)/.exec(stamp)?.[0] ?? Number.NaN);
    if (!isSame(stamp, await stampAt(time, petId))) return 'late';
    const age = clock.now() - time;
    if (age > WRITTEN_MAX_MS) return 'late';
    return age < WRITTEN_MIN_MS ? 'early' : undefined;
  }

  return { stampAt, problemOf };
}

const NOTHING: Written = { values: {}, answers: {}, stamp: undefined };

/** Creates the form that people ask about an animal with, and the page after it. */
export function createEnquiryForm(parts: EnquiryFormParts) {
  const { storage, read, signing, clock, origins, enquiriesKeepMs, sendsMails } = parts;
  const keptDays = Math.ceil(enquiriesKeepMs / DAY_MS);
  const { stampAt, problemOf } = createStamps(signing, clock);

  const questionsOf = ({ form: { page, animal } }: FormVisit) =>
    questionsFor(page.shop.questions, animal?.profile.species ?? null);

  async function show(visit: FormVisit, petId: bigint, written: Written, refusal?: Refusal) {
    const { page, animal, renderEnquiryForm, respond } = visit.form;
    if (animal === undefined) return visit.form.missing();
    const { status = 200, problems = [], wrongAnswers = [], retryMs } = refusal ?? {};
    const keeps = written.stamp !== undefined && !problems.includes('late');
    const stamp = keeps ? (written.stamp ?? '') : await stampAt(clock.now(), petId);
    const { values, answers } = written;
    const form = { animal, values, answers, problems, wrongAnswers, stamp, keptDays };
    const questions = questionsOf(visit);
    const headers = retryMs && { 'retry-after': `${Math.ceil(retryMs / SECOND_MS)}` };
    return respond(status, renderEnquiryForm(page, { ...form, questions }), headers || {});
  }

  async function receive(visit: FormVisit, petId: bigint, written: Written): Promise<HttpResponse> {
    const { form } = visit;
    const { language } = form.page;
    const questions = questionsOf(visit);
    const time = await problemOf(written.stamp ?? '', petId);
    const problems = [...problemsOf(written.values), ...(time === 'late' ? [time] : [])];
    const wrong = questions.filter((each) => !isAnswer(each, written.answers[each.id] ?? ''));
    if (problems.length > 0 || wrong.length > 0) {
      const wrongAnswers = wrong.map(({ id }) => id);
      return show(visit, petId, written, { status: 400, problems, wrongAnswers });
    }
    // Only robots fill this field, or a program that fills forms for somebody: nothing is lost.
    const suspected = written.values.website !== '' || time === 'early';
    const enquiry = await enquiryOf(parts, visit, written, { suspected, questions });
    switch (await storage.enquiries.receive(enquiry, clock.now())) {
      case 'received':
        return form.respond(303, '', { location: `/adopt/${petId}/thanks?lang=${language}` });
      case 'unlisted':
        return form.missing();
      case 'tooMany':
        return show(visit, petId, written, {
          status: 429,
          problems: ['tooMany'],
          retryMs: HOUR_MS,
        });
      case 'full':
        return show(visit, petId, written, { status: 503, problems: ['full'], retryMs: HOUR_MS });
    }
  }

  return async (visit: FormVisit): Promise<HttpResponse> => {
    const { form, part, context, address } = visit;
    const { animal, page, renderThanks, respond, missing } = form;
    if (animal === undefined) return missing();
    const { id } = animal.pet;
    if (part === 'thanks') return respond(200, renderThanks(page, animal, sendsMails));
    if (context.method !== 'POST') return show(visit, id, NOTHING);
    const written = writtenIn(await read(context.request, address), questionsOf(visit));
    // A page of another site would send it in the name of its visitors. They may, and see what they send.
    if (!origins.mayRead(context.request)) {
      return show(visit, id, written, { status: 403, problems: ['late'] });
    }
    try {
      return await receive(visit, id, written);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'service_unavailable') throw error;
      // What was written is kept, so that it can be sent again.
      const refusal: Refusal = { status: 503, problems: ['failed'], retryMs: 2 * SECOND_MS };
      return show(visit, id, written, refusal);
    }
  };
}

/** Returns what is stored of a form that is as it should be. */
async function enquiryOf(
  { signing, sendsMails }: Pick<EnquiryFormParts, 'signing' | 'sendsMails'>,
  { form, address }: FormVisit,
  { values, answers: given }: Written,
  { suspected, questions }: { suspected: boolean; questions: readonly Question[] },
): Promise<NewEnquiry> {
  const { name = '', email, telephone, message = '' } = values;
  const petId = form.animal?.pet.id ?? 0n;
  const answers = answersOf(questions, given);
  const { sign, receiverOf } = signing;
  const person = email ? await receiverOf(email) : `${telephone?.replaceAll(/\D/g, '')}`;
  const said = JSON.stringify([`${petId}`, name, email, telephone, message, answers]);
  return {
    ...{ petId, name, message, answers, suspected, language: form.page.language },
    email: email || undefined,
    telephone: telephone || undefined,
    sender: await sign(`sender ${address}`),
    pair: await sign(`pair ${address} ${person}`),
    digest: await sign(`digest ${said}`),
    copy: sendsMails && email ? { name: crypto.randomUUID(), receiver: person } : undefined,
  };
}

/** Reads the fields of a form. */
function writtenIn(sent: SentForm, questions: readonly Question[]): Written {
  const answers = questions.map(({ id, kind }) => {
    const name = `answer-${id}`;
    return [id, kind === 'paragraph' ? sent.lines(name) : sent.line(name)] as const;
  });
  return {
    values: {
      name: sent.line('name'),
      email: sent.line('email'),
      telephone: sent.line('telephone'),
      message: sent.lines('message'),
      consent: sent.line('consent'),
      website: sent.line('website'),
    },
    answers: Object.fromEntries(answers),
    stamp: sent.line('stamp'),
  };
}

/** The answers that were given, each with what was asked. */
function answersOf(questions: readonly Question[], given: Written['answers']): Answer[] {
  return questions.flatMap(({ id, label }) => {
    const answer = given[id] ?? '';
    return answer === '' ? [] : [{ id, label, answer }];
  });
}

/** Returns what is wrong with what somebody wrote. */
function problemsOf(values: Written['values']): EnquiryProblem[] {
  const { name = '', email = '', telephone = '', message = '', consent } = values;
  const holds: Partial<Record<EnquiryProblem, boolean>> = {
    name: nameProblem(name, ENQUIRER_MAX) !== undefined,
    contact: email === '' && telephone === '',
    email: email !== '' && !isEmail(email),
    telephone: telephone !== '' && !isTelephone(telephone),
    message: linesProblem(message, MESSAGE_MAX) !== undefined,
    consent: consent !== 'yes',
  };
  // The names are those of the literal.
  return (Object.keys(holds) as EnquiryProblem[]).filter((problem) => holds[problem]);
}

function isTelephone(text: string): boolean {
  return text.length <= TELEPHONE_MAX && (text.match(/\d/g)?.length ?? 0) >= 3;
}
