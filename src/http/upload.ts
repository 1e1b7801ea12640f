import { closeSync } from 'node:fs';
import { SECOND_MS } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';
import { createFairPlaces } from '../domain/fair-places.ts';
import type { Upload } from '../domain/upload.ts';
import { systemTime, type Timekeeper } from './awaited-bodies.ts';
import { bodyTooLarge, checkMediaType } from './body.ts';
import { createFormFile, FORM_BYTES_MAX, FORM_TYPE, isForm, OCTETS_TYPE } from './form-file.ts';
import { createFileWriter, createUnnamedFile } from './unnamed-file.ts';

/** The longest time for a whole file: 64 MiB at 1 Mbit/s. */
const WHOLE_MS = 600 * SECOND_MS;
/** Bounds the disk space. */
const PLACES = { perHolder: 2, inAll: 4 };
const RETRY_SECONDS = 10;
/**
 * While others wait for a place, a body that arrives more slowly than this gives its own up: 128 kbit/s
 * on average, after some time.
 */
const SLOWEST_BYTES_PER_MS = 16;
const SLOW_AFTER_MS = 10 * SECOND_MS;
/** Somebody who was turned away tries again within this time. */
const CONTESTED_MS = 3 * RETRY_SECONDS * SECOND_MS;

/**
 * Throws `unsupported_media_type` unless the body is a file of one of these types, of no type, or in a form. Pictures
 * of other types are taken too: the bytes of a file decide what it is.
 */
export function checkUploadType(headers: Headers, named: readonly string[]): void {
  const type = headers.get('content-type');
  if (isForm(type)) createFormFile(type, () => {});
  const isPicture = type !== null && named.some((one) => one.startsWith('image/'));
  const other = isPicture ? /^image\/[\w.+-]+/i.exec(type.trim())?.[0].toLowerCase() : undefined;
  const accepted = [...named, OCTETS_TYPE, FORM_TYPE];
  checkMediaType(headers, other === undefined ? accepted : [...accepted, other], true);
}

/** How bodies are stored. */
interface UploadRules {
  /** The folder for the files. */
  readonly directory: string;
  /** The longest time without any bytes, in milliseconds. */
  readonly stallMs: number;
}

/** A body to store. */
interface IncomingBody {
  readonly request: Request;
  /** Whose body it is: bounds how many one sender may send at once. */
  readonly sender: bigint;
  /** The most bytes of the file. */
  readonly bytesMax: number;
  /** Called while bytes arrive: keeps the connection open for this long without a response. */
  keepOpen(milliseconds: number): void;
}

/** Stores the bodies of uploads on disk. */
export type Uploads = ReturnType<typeof createUploads>;

/** Creates the storage of bodies, with places of its own for those that arrive at once. */
export function createUploads({ directory, stallMs }: UploadRules, time: Timekeeper = systemTime) {
  const places = createFairPlaces(PLACES);
  let turnedAwayAt = Number.NEGATIVE_INFINITY;
  const isContested = () => time.now() - turnedAwayAt < CONTESTED_MS;

  /**
   * Stores a file as it arrives, so that it never is in memory as a whole: the body, or the one file of a form. The
   * caller closes the descriptor. Throws `body_too_large`, `invalid_body` for a form without one file,
   * `invalid_request` for a body that stalls or breaks off, and `service_unavailable` if the disk is full or too many
   * arrive at once.
   */
  async function receive(body: IncomingBody): Promise<Upload> {
    const { request, sender, bytesMax } = body;
    const declared = request.headers.get('content-length');
    if (declared !== null && Number(declared) > bodyMax(body)) throw bodyTooLarge(bytesMax);
    const lost = new AbortController();
    const release = places.take(sender, () => lost.abort(tooManyUploads()));
    if (release === undefined) {
      if (places.count() >= PLACES.inAll) turnedAwayAt = time.now();
      throw tooManyUploads();
    }
    return await store(body, lost.signal).finally(release);
  }

  async function store(body: IncomingBody, lost: AbortSignal): Promise<Upload> {
    const descriptor = createUnnamedFile(directory);
    try {
      return await writeBody(descriptor, body, lost, { isContested, stallMs, time });
    } catch (error) {
      closeSync(descriptor);
      throw error;
    }
  }

  return {
    receive,
    /** The number of bodies still arriving. */
    count: places.count,
  };
}

/** Returns the most bytes that a body may have, with what a form has around its file. */
function bodyMax({ request, bytesMax }: IncomingBody): number {
  return isForm(request.headers.get('content-type')) ? bytesMax + FORM_BYTES_MAX : bytesMax;
}

interface WritingRules {
  /** Returns whether somebody was turned away lately because all places were taken. */
  isContested(): boolean;
  readonly stallMs: number;
  readonly time: Timekeeper;
}

async function writeBody(
  descriptor: number,
  body: IncomingBody,
  lost: AbortSignal,
  { isContested, stallMs, time }: WritingRules,
): Promise<Upload> {
  const { request, bytesMax, keepOpen } = body;
  const contentType = request.headers.get('content-type');
  const file = createFileWriter(descriptor, bytesMax);
  const form = isForm(contentType) ? createFormFile(contentType, file.write) : undefined;
  const reader = request.body?.getReader();
  // Canceling ends a read that waits. The runtime drains the rest.
  const cancel = () => void reader?.cancel().catch(() => {});
  using deadline = createDeadline(stallMs, time, cancel);
  lost.addEventListener('abort', cancel);
  let bytes = 0;
  try {
    for (;;) {
      const part = await readPart(reader);
      deadline.check();
      lost.throwIfAborted();
      if (part === undefined) break;
      bytes += part.length;
      if (bytes > bodyMax(body)) throw bodyTooLarge(bytesMax);
      (form ?? file).write(part);
      if (!deadline.extend()) continue;
      keepOpen(stallMs);
      if (deadline.isSlow(bytes) && isContested()) throw tooManyUploads();
    }
    const name = form?.end();
    return { ...file.end(), name };
  } catch (error) {
    cancel();
    throw error;
  }
}

type Reader = { read(): Promise<{ done: boolean; value?: Uint8Array | undefined }> };

/** Returns the next bytes; undefined at the end. */
async function readPart(reader: Reader | undefined): Promise<Uint8Array | undefined> {
  try {
    return (await reader?.read())?.value;
  } catch {
    throw new Failure('invalid_request', 'The connection ended before the body did.');
  }
}

/**
 * Calls `cancel` when no bytes have arrived for too long, or not all of them in time. One timer
 * serves both.
 */
function createDeadline(stallMs: number, time: Timekeeper, cancel: () => void) {
  const startedAt = time.now();
  const endsAt = startedAt + WHOLE_MS;
  let movedAt = time.now();
  let keptAt = movedAt;
  let isPast = false;
  let isOver = false;

  function check(): void {
    if (isOver) return;
    const left = Math.min(endsAt - time.now(), movedAt + stallMs - time.now());
    if (left > 0) {
      time.wake(left, check);
      return;
    }
    isPast = true;
    cancel();
  }
  time.wake(stallMs, check);

  return {
    /** Throws `invalid_request` if it has passed. */
    check(): void {
      if (isPast) throw tooSlow(stallMs);
    },
    /** Notes that bytes have arrived. Returns true once a second, for work that costs something. */
    extend(): boolean {
      movedAt = time.now();
      if (movedAt - keptAt < SECOND_MS) return false;
      keptAt = movedAt;
      return true;
    },
    /** Returns whether a body of which this much has arrived is slow on average. */
    isSlow(bytes: number): boolean {
      const passed = time.now() - startedAt;
      return passed > SLOW_AFTER_MS && bytes < passed * SLOWEST_BYTES_PER_MS;
    },
    [Symbol.dispose]: () => {
      isOver = true;
    },
  };
}

function tooSlow(stallMs: number): Failure {
  const message = `The body must arrive without a pause of ${stallMs / SECOND_MS} s, and within ${WHOLE_MS / SECOND_MS} s; nothing was changed.`;
  return new Failure('invalid_request', message, { endsConnection: true });
}

function tooManyUploads(): Failure {
  const message = 'Too many files are being sent; nothing was changed, try again shortly.';
  const details = { retryAfterSeconds: RETRY_SECONDS, endsConnection: true } as const;
  return new Failure('service_unavailable', message, details);
}
