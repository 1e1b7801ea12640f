import { brotliCompressSync, constants } from 'node:zlib';
import type { PageAsk, PublicPages } from '../../adopt/pages.ts';
import { fileVisitor, type Limiter, pageVisitor } from '../../domain/allowance.ts';
import type { Clock } from '../../domain/clock.ts';
import { methodNotAllowed, routeNotFound } from '../../domain/failure.ts';
import type { ClientAddresses } from '../../http/client-address.ts';
import { acceptedCoding } from '../../http/representation.ts';
import {
  type HeaderValues,
  type HttpResponse,
  matchesWeakly,
  type TextResponse,
} from '../../http/response.ts';
import type { CacheRequest, ResponseCache } from '../cache/response-cache.ts';
import type { AlertVisit } from './alert-form.ts';
import { refusalOf, secondsUntil } from './rate-limit.ts';
import type { RequestContext } from './request-context.ts';
import { createDoorkeeper, isPublicPath, type ResolvedTarget } from './target-cache.ts';

/** A visit of the form of an animal, or of the page after it. It is charged already. */
export interface FormVisit {
  readonly context: RequestContext;
  readonly part: 'enquiry' | 'thanks';
  /** What the request is charged to. */
  readonly address: string;
  readonly form: Awaited<ReturnType<PublicPages['form']>>;
}

/** The dependencies of the pages. */
export interface PublicPageParts {
  /** Loads the pages at the first request for one; undefined if they are turned off. */
  readonly loadPublicPages: (() => Promise<PublicPages>) | undefined;
  readonly limiter: Limiter;
  readonly cache: ResponseCache;
  readonly clock: Clock;
  /** Serves the forms; undefined without forms. */
  readonly enquiryForm?: ((visit: FormVisit) => Promise<HttpResponse>) | undefined;
  /** The same for alerts; undefined where no mails are sent. */
  readonly alertForm?: ((visit: AlertVisit) => Promise<HttpResponse>) | undefined;
}

const READABLE = ['GET', 'HEAD'];
const FORM = /^\/adopt\/(\d{1,19})\/(enquiry|thanks)$/;
const ALERTS = /^\/adopt\/alerts(?:\/(confirm|end|thanks))?$/;
const CACHEABLE = { cacheable: true };
/** The place of a page among the cached responses. */
type Slot = CacheRequest['target'];
const UNCACHED: Slot = { isCached: false, weight: 0 };
/** Pages, each in a language, that have a place. */
const SLOTS_MAX = 5_000;
/** Files that stay in the forms in which they were sent: the styles of a colour are made for whoever asks. */
const FILES_MAX = 64;

/** Creates the public pages: charged to the address apart from the interface, cached like its responses. */
export function createPublicPages(parts: PublicPageParts, addresses: ClientAddresses) {
  const { loadPublicPages, limiter, cache, clock, enquiryForm, alertForm } = parts;
  let pages: PublicPages | undefined;
  const slotOf = createSlots(() => pages);
  const fileAt = createFiles(() => pages);

  async function serve(context: RequestContext): Promise<HttpResponse> {
    pages ??= await loadPublicPages?.();
    const writer = pages;
    const { method, request, target } = context;
    if (target.problem !== undefined) throw target.problem;
    if (writer === undefined) throw routeNotFound();
    const { path, query } = target;
    const [, petId, part] = FORM.exec(path) ?? [];
    const alerts = alertForm === undefined ? null : ALERTS.exec(path);
    const isForm = (petId !== undefined && enquiryForm !== undefined) || alerts !== null;
    if (!READABLE.includes(method) && !(isForm && method === 'POST')) {
      throw methodNotAllowed(method, isForm ? [...READABLE, 'POST'] : READABLE);
    }
    const at = clock.now();
    const file = fileAt(path);
    if (file !== undefined) {
      await chargeFile(limiter, addresses.addressOf(request), at);
      return coded(file, request.headers);
    }
    const language = writer.languageOf(query, request.headers.get('accept-language'));
    const ask: PageAsk = { path, query, language, at };
    const address = addresses.addressOf(request);
    const cached: CacheRequest = {
      operation: CACHEABLE,
      target: slotOf(target, language),
      isCaughtUp: false,
    };
    if (!isForm) cache.begin(cached);
    const decision = await limiter.chargeAddress(pageVisitor(address), at);
    if (decision.refusal !== undefined) {
      return writer.refuse(ask, secondsUntil(decision.quota.minute.resetsAt, decision.quota.at));
    }
    if (alertForm !== undefined && alerts !== null) {
      const step = alerts[1] as AlertVisit['part']; // One of those that the pattern names.
      return alertForm({ context, part: step, address, pages: await writer.alerts(ask) });
    }
    if (enquiryForm !== undefined && petId !== undefined) {
      const form = await writer.form(ask, petId);
      if (form.animal === undefined) return form.missing();
      return enquiryForm({ context, part: part as FormVisit['part'], address, form });
    }
    return coded(await cache.answer(cached, () => writer.write(ask)), request.headers);
  }

  return {
    isPublic: (path: string) => loadPublicPages !== undefined && isPublicPath(path),
    serve,
  };
}

type Loaded = () => PublicPages | undefined;

/** Creates the places of pages among the cached responses. */
function createSlots(loaded: Loaded): (target: ResolvedTarget, language: string) => Slot {
  const slots = new Map<string, Slot>();
  const names = new WeakMap<ResolvedTarget, string>();
  const cameBefore = createDoorkeeper();

  /** The name of what an address shows in a language; undefined if it shows nothing that may be kept. */
  function nameOf(target: ResolvedTarget, language: string): string | undefined {
    const name = names.get(target) ?? loaded()?.nameOf(target.path, target.query);
    if (name !== undefined && target.isCached) names.set(target, name);
    return name === undefined ? undefined : `${language} ${name}`;
  }

  /** A page has a place from its second request on, whatever its address says besides what it means. */
  return function slotOf(target: ResolvedTarget, language: string): Slot {
    const name = nameOf(target, language);
    if (name === undefined) return UNCACHED;
    const known = slots.get(name);
    if (known !== undefined) return known;
    if (!cameBefore(name)) return UNCACHED;
    if (slots.size >= SLOTS_MAX) slots.clear();
    const slot = { isCached: true, weight: name.length };
    slots.set(name, slot);
    return slot;
  };
}

/** Creates the files of the pages. */
function createFiles(loaded: Loaded): (path: string) => HttpResponse | undefined {
  const files = new Map<string, HttpResponse>();

  return (path: string): HttpResponse | undefined => {
    const known = files.get(path);
    if (known !== undefined) return known;
    const file = loaded()?.fileAt(path);
    if (file === undefined) return undefined;
    const [oldest = ''] = files.size < FILES_MAX ? [] : files.keys();
    files.delete(oldest);
    files.set(path, file);
    return file;
  };
}

/** Charges an address for a file of pages. Throws a 429. */
export async function chargeFile(
  limiter: Pick<Limiter, 'chargeAddress'>,
  address: string,
  at: number,
): Promise<void> {
  const refusal = refusalOf(await limiter.chargeAddress(fileVisitor(address), at));
  if (refusal !== undefined) throw refusal;
}

/** A body in the forms in which it was sent so far. They live as long as the response is cached. */
type Forms = Partial<Record<'br' | 'gzip' | 'plain', Blob>>;
const forms = new WeakMap<HttpResponse, Forms>();
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } };

const COMPRESS = {
  br: (bytes: Uint8Array) => new Uint8Array(brotliCompressSync(bytes, BROTLI)),
  gzip: (bytes: Uint8Array<ArrayBuffer>) => Bun.gzipSync(bytes),
  plain: (bytes: Uint8Array<ArrayBuffer>) => bytes,
};

/** Returns a response in the form that a client accepts, or 304 if it has that already. */
function coded(response: TextResponse | HttpResponse, asked: Headers): HttpResponse {
  const { status, body, headers } = response;
  if (typeof body !== 'string') return response;
  const coding = acceptedCoding(asked.get('accept-encoding') ?? '');
  const { etag: tag } = headers;
  const etag = tag && coding ? { etag: `${tag.slice(0, -1)}-${coding}"` } : tag && { etag: tag };
  const own: HeaderValues = { vary: 'Accept-Encoding', ...headers, ...etag };
  const known = asked.get('if-none-match');
  if (known !== null && etag && matchesWeakly(known, etag.etag) && status === 200) {
    const { 'content-type': _, ...rest } = own;
    return { status: 304, body: null, headers: rest };
  }
  const made = forms.get(response) ?? {};
  forms.set(response, made);
  made[coding ?? 'plain'] ??= new Blob([
    COMPRESS[coding ?? 'plain'](new TextEncoder().encode(body)),
  ]);
  const encoding = coding && { 'content-encoding': coding };
  return { status, body: made[coding ?? 'plain'] ?? null, headers: { ...own, ...encoding } };
}
