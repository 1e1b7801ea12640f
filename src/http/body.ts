import { Failure } from '../domain/failure.ts';
import type { AwaitedBodies } from './awaited-bodies.ts';
import { JsonProblem, type JsonValue, parseJson } from './json.ts';

/** The largest accepted request body, in bytes. */
export const BODY_BYTES_MAX = 65_536;
/** The most members, or items, that a body may have in all its objects and arrays together; no operation takes fifty. */
const VALUES_MAX = 1_000;

/** Decodes strictly. A byte-order mark stays in the text, so that it can be refused by name. */
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

const PARAMETER = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+)=("?)([^"]*)\2$/;

/** Throws `unsupported_media_type` unless the body is plain text of one of these media types, or of none where it may be. */
export function checkMediaType(
  headers: Headers,
  accepted: readonly string[],
  mayBeUntyped = false,
): void {
  const wanted = `Send the body as ${accepted.join(' or ')}`;
  if (headers.get('content-encoding') !== null) {
    throw unsupported(`${wanted}, without a Content-Encoding.`);
  }
  const contentType = headers.get('content-type');
  if (contentType === null && mayBeUntyped) return;
  if (contentType === null) throw unsupported(`${wanted} and say so in the Content-Type header.`);
  const [type = '', ...parameters] = contentType.split(';');
  if (!accepted.includes(type.trim().toLowerCase())) throw unsupported(`${wanted}.`);
  for (const parameter of parameters) {
    const trimmed = parameter.trim();
    if (trimmed === '') continue;
    const match = PARAMETER.exec(trimmed);
    if (match === null) throw unsupported('The Content-Type header has a malformed parameter.');
    const [, name = '', , value = ''] = match;
    if (name.toLowerCase() === 'charset' && value.toLowerCase() !== 'utf-8') {
      throw unsupported(`${wanted} in UTF-8.`);
    }
  }
}

/** Returns false if the headers say that there is no body. */
export function mayHaveBody(headers: Headers): boolean {
  const length = headers.get('content-length') ?? '0';
  return ['content-type', 'transfer-encoding'].some((name) => headers.has(name)) || length !== '0';
}

function unsupported(message: string): Failure {
  return new Failure('unsupported_media_type', message);
}

/**
 * Creates a reader for bodies of at most `bytesMax`. A body with a Content-Length is refused before any
 * byte is read, a chunked one as soon as it has sent too much. The runtime drains and discards the
 * rest.
 */
export function createBodyReader(awaited: AwaitedBodies, bytesMax = BODY_BYTES_MAX) {
  /** Reads the body that `sender` sends. May throw synchronously or reject. */
  return function readBytes(request: Request, sender: bigint): Promise<Uint8Array> {
    const declared = request.headers.get('content-length');
    if (declared === null) return awaited.wait(sender, () => readChunks(request.body, bytesMax));
    if (Number(declared) > bytesMax) throw bodyTooLarge(bytesMax);
    return awaited.wait(sender, () => request.bytes());
  };
}

async function readChunks(
  body: ReadableStream<Uint8Array> | null,
  bytesMax: number,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body ?? []) {
    length += chunk.length;
    // Leaving the loop cancels the stream.
    if (length > bytesMax) throw bodyTooLarge(bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Creates the failure for a body over the limit. */
export function bodyTooLarge(bytesMax = BODY_BYTES_MAX): Failure {
  return new Failure('body_too_large', `The body must have at most ${bytesMax} bytes.`);
}

/** Reads bytes as JSON of at most `valuesMax` members or items. Throws `invalid_json`. */
export function jsonFromBytes(bytes: Uint8Array, valuesMax = VALUES_MAX): JsonValue {
  if (bytes.length === 0) throw invalidJson('is empty: send a JSON object');
  let text: string;
  try {
    text = utf8.decode(bytes);
  } catch {
    throw invalidJson('is not valid UTF-8');
  }
  if (text.startsWith('\uFEFF')) throw invalidJson('starts with a byte-order mark: leave it out');
  try {
    return parseJson(text, valuesMax);
  } catch (error) {
    if (error instanceof JsonProblem) throw invalidJson(error.message);
    throw error;
  }
}

function invalidJson(problem: string): Failure {
  return new Failure('invalid_json', `The request body ${problem}.`);
}
