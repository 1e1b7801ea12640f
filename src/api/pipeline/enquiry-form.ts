import { createHmac, timingSafeEqual } from 'node:crypto';
import { type Clock, DAY_MS, HOUR_MS, SECOND_MS } from '../../domain/clock.ts';
import { ENQUIRER_MAX, MESSAGE_MAX, type NewEnquiry } from '../../domain/enquiry.ts';
import { Failure } from '../../domain/failure.ts';
import { linesProblem, nameProblem } from '../../domain/name.ts';
import type { Records } from '../../domain/records.ts';
import { EMAIL, type ShopStorage, TELEPHONE_MAX } from '../../domain/shop.ts';
import { newFormSecret } from '../../domain/shop-id.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader } from '../../http/body.ts';
import type { PageOrigins } from '../../http/page-origin.ts';
import type { HttpResponse } from '../../http/response.ts';
import { senderAt } from './console-session.ts';
import type { FormVisit } from './public-pages.ts';

/** Room for 2,000 characters of any script, each of which may take twelve bytes. */
const FORM_BYTES_MAX = 32_768;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** Nobody writes faster than this; and nobody leaves a page open for longer. */
const WRITTEN_MIN_MS = 3 * SECOND_MS;
const WRITTEN_MAX_MS = DAY_MS;

type EnquiryPage = Parameters<FormVisit['form']['renderEnquiryForm']>[1];
type EnquiryProblem = EnquiryPage['problems'][number];
/** What somebody wrote, by field. */
type Written = EnquiryPage['values'] & { readonly stamp?: string };
type Refusal = readonly [status: number, problems: readonly EnquiryProblem[], retryMs?: number];

interface EnquiryFormParts {
  readonly storage: Pick<Records, 'enquiries' | 'shop'>;
  /** Strangers send these bodies. */
  readonly bodies: AwaitedBodies;
  readonly clock: Clock;
  readonly origins: Pick<PageOrigins, 'mayRead'>;
  readonly enquiriesKeepMs: number;
}

/** Creates the time stamps of forms, signed with the secret of the deployment. */
function createStamps(shop: Pick<ShopStorage, 'formSecret'>, clock: Clock) {
  let secret: string | undefined;

  /** Signs a text with the secret of the deployment. */
  async function sign(text: string): Promise<string> {
    secret ??= await shop.formSecret(newFormSecret());
    return createHmac('sha256', secret).update(text).digest('base64url');
  }

  const stampAt = async (time: number, petId: bigint) =>
    `${time}.${await sign(`form ${petId} ${time}`)}`;

  /** Says what is wrong with the time at which the form was made. */
  async function problemOf(stamp: string, petId: bigint): Promise<'early' | 'late' | undefined> {
    const time = Number(/^\d{1,15}(?=\.)/.exec(stamp)?.[0] ?? Number.NaN);
    const [given, made] = [stamp, await stampAt(time, petId)].map((text) => Buffer.from(text));
    if (given?.length !== made?.length || !given || !made || !timingSafeEqual(given, made)) {
      return 'late';
    }
    const age = clock.now() - time;
    if (age > WRITTEN_MAX_MS) return 'late';
    return age < WRITTEN_MIN_MS ? 'early' : undefined;
  }

  return { sign, stampAt, problemOf };
}

/** Creates the form that people ask about an animal with, and the page after it. */
export function createEnquiryForm({
  storage,
  bodies,
  clock,
  origins,
  enquiriesKeepMs,
}: EnquiryFormParts) {
  const readBytes = createBodyReader(bodies, FORM_BYTES_MAX);
  const keptDays = Math.ceil(enquiriesKeepMs / DAY_MS);
  const { sign, stampAt, problemOf } = createStamps(storage.shop, clock);

  async function show(visit: FormVisit, petId: bigint, written: Written, refusal?: Refusal) {
    const { page, animal, renderEnquiryForm, respond } = visit.form;
    if (animal === undefined) return visit.form.missing();
    const [status, problems, retryMs] = refusal ?? [200, []];
    const keeps = written.stamp !== undefined && !problems.includes('late');
    const stamp = keeps ? (written.stamp ?? '') : await stampAt(clock.now(), petId);
    const form = { animal, values: written, problems, stamp, keptDays };
    const headers = retryMs && { 'retry-after': `${Math.ceil(retryMs / SECOND_MS)}` };
    return respond(status, renderEnquiryForm(page, form), headers || {});
  }

  async function read({ context, address }: FormVisit): Promise<Written> {
    const { request } = context;
    checkMediaType(request.headers, [FORM_TYPE]);
    return writtenIn(await readBytes(request, senderAt(address)));
  }

  async function receive(visit: FormVisit, petId: bigint, written: Written): Promise<HttpResponse> {
    const { form, address } = visit;
    const { language } = form.page;
    const { name = '', email, telephone, message = '', website, stamp = '' } = written;
    const location = `/adopt/${petId}/thanks?lang=${language}`;
    const received = form.respond(303, '', { location });
    // Only robots fill this field, and they learn nothing.
    if (website !== '') return received;
    const late = await problemOf(stamp, petId);
    const problems = [...problemsOf(written), ...(late === undefined ? [] : [late])] as const;
    if (problems.length > 0) return show(visit, petId, written, [400, problems]);
    const enquiry: NewEnquiry = {
      ...{ petId, name, message, language, sender: await sign(`sender ${address}`) },
      email: email || undefined,
      telephone: telephone || undefined,
    };
    switch (await storage.enquiries.receive(enquiry, clock.now())) {
      case 'received':
        return received;
      case 'unlisted':
        return form.missing();
      case 'tooMany':
        return show(visit, petId, written, [429, ['tooMany'], HOUR_MS]);
      case 'full':
        return show(visit, petId, written, [503, ['full'], HOUR_MS]);
    }
  }

  return async (visit: FormVisit): Promise<HttpResponse> => {
    const { form, part, context } = visit;
    const { animal, page, renderThanks, respond, missing } = form;
    if (animal === undefined) return missing();
    const { id } = animal.pet;
    if (part === 'thanks') return respond(200, renderThanks(page, animal));
    if (context.method !== 'POST') return show(visit, id, {});
    const written = await read(visit);
    // A page of another site would send it in the name of its visitors. They may, and see what they send.
    if (!origins.mayRead(context.request)) return show(visit, id, written, [403, ['late']]);
    try {
      return await receive(visit, id, written);
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== 'service_unavailable') throw error;
      // What was written is kept, so that it can be sent again.
      return show(visit, id, written, [503, ['failed'], 2 * SECOND_MS]);
    }
  };
}

/** Reads the fields of a form. Nothing in a line can start another one. */
function writtenIn(bytes: Uint8Array): Written {
  const sent = new URLSearchParams(new TextDecoder().decode(bytes));
  const line = (name: string) =>
    sent
      .get(name)
      ?.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
      .trim();
  const lines = sent.get('message')?.replace(/\r\n|[\r\u0085\u2028\u2029]/g, '\n');
  return {
    name: line('name') ?? '',
    email: line('email') ?? '',
    telephone: line('telephone') ?? '',
    message: lines?.replace(/[^\P{Cc}\t\n]/gu, '').trim() ?? '',
    consent: line('consent') ?? '',
    website: line('website') ?? '',
    stamp: line('stamp') ?? '',
  };
}

/** Returns what is wrong with what somebody wrote. */
function problemsOf(written: Written): EnquiryProblem[] {
  const { name = '', email = '', telephone = '', message = '', consent } = written;
  const holds: Partial<Record<EnquiryProblem, boolean>> = {
    name: nameProblem(name, ENQUIRER_MAX) !== undefined,
    contact: email === '' && telephone === '',
    email: email !== '' && !(EMAIL.pattern.test(email) && email.length <= EMAIL.max),
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
