import { existsSync } from 'node:fs';
import { DECODE_PHOTO, ownCommand } from '../child/own-program.ts';
import { Failure } from '../domain/failure.ts';
import { createTurns } from '../domain/fair-places.ts';
import { SAVE_AS_JPEG } from '../domain/photo.ts';
import type { Upload } from '../domain/upload.ts';
import type { Header } from './decode-child.ts';
import { jpegSegments, recognize } from './format.ts';
import { EDGE_MAX, type Frame, type Frames, PIXELS_MAX, type Unusable } from './frames.ts';

/** The longest time for one photo. */
const DECODE_MS = 30_000;
/** One at a time; photos that may wait, of a family of keys and of all. */
const TURNS = { atOnce: 1, perHolder: 4, inAll: 8 };
const RETRY_SECONDS = 5;
/** The most bytes of all pictures of a photo; noise of 2,048 pixels square has 9 MiB. */
const FRAMES_BYTES_MAX = 33_554_432;
const SHELL = '/bin/sh';
const ADDRESS_SPACE_KIB = 1_000_000;
/** The longest first line. */
const HEADER_MAX = 2_000;
const NEWLINE = 0x0a;

/** Parts that a test may replace. */
export interface DecoderParts {
  readonly command?: readonly string[];
  readonly limitMs?: number;
}

/** Decodes photos, one after the other. */
export interface Decoder {
  /**
   * Makes the pictures of an upload of this family. Throws `unsupported_media_type` for another kind
   * of file, `invalid_request` for one that is damaged or too large, and `service_unavailable` if too
   * many wait or the decoder does not end.
   */
  decode(upload: Upload, familyId: bigint): Promise<Frames>;
  /** Ends the decoding under way, and refuses what waits. */
  end(): Promise<void>;
}

/**
 * Creates the decoder of this process. The bytes are a stranger's and the decoders are written in C, so
 * each photo is decoded in a process that has nothing but the photo, and that may die.
 */
export function createDecoder({ command, limitMs = DECODE_MS }: DecoderParts = {}): Decoder {
  const takeTurn = createTurns(TURNS, () => busy('Too many photos wait to be decoded'));
  const ending = new AbortController();
  let last: Promise<unknown> = Promise.resolve();

  return {
    decode: (upload, familyId) =>
      takeTurn(familyId, () => {
        if (ending.signal.aborted) throw busy('The service is about to stop');
        const bounded = command ?? withinBounds(ownCommand(DECODE_PHOTO));
        const work = runDecoder(upload, bounded, limitMs, ending.signal);
        last = work.catch(() => undefined);
        return work;
      }),
    async end() {
      ending.abort();
      await last;
    },
  };
}

/**
 * Bounds the address space of a command, where there is a shell. The runtime reserves half of it, so about
 * 500 MB remain, of which the largest photo needs 280. macOS has no such bound.
 */
function withinBounds(command: readonly string[]): readonly string[] {
  const start = `ulimit -v ${ADDRESS_SPACE_KIB} 2>/dev/null; exec "$0" "$@"`;
  return existsSync(SHELL) ? [SHELL, '-c', start, ...command] : command;
}

async function runDecoder(
  { descriptor }: Upload,
  command: readonly string[],
  limitMs: number,
  signal: AbortSignal,
): Promise<Frames> {
  const child = start(command, descriptor, limitMs, signal);
  try {
    const output = await readAtMost(child.stdout, FRAMES_BYTES_MAX);
    // It may write without end.
    if (output === undefined) child.kill('SIGKILL');
    const code = await child.exited;
    if (output === undefined || child.signalCode === 'SIGKILL') {
      throw busy('The photo took too much time or memory to decode', child.signalCode);
    }
    if (code !== 0) throw new Error(`the decoder ended with ${child.signalCode ?? code}`);
    return readFrames(output);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw refusal({ problem: 'damaged' }, error);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Starts the process. Throws `service_unavailable` if the machine has no room for another one. */
function start(
  command: readonly string[],
  descriptor: number,
  limitMs: number,
  signal: AbortSignal,
) {
  try {
    return Bun.spawn([...command], {
      stdio: [descriptor, 'pipe', 'ignore'],
      // No password of the service, and no settings of the runtime.
      env: {},
      cwd: '/',
      signal,
      timeout: limitMs,
      killSignal: 'SIGKILL',
    });
  } catch (error) {
    throw busy('The photo cannot be decoded now', error);
  }
}

/** Returns all bytes of a stream; undefined if there are too many. */
async function readAtMost(
  stream: ReadableStream<Uint8Array>,
  most: number,
): Promise<Buffer | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of stream) {
    bytes += part.length;
    if (bytes > most) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}

/** Reads what the process wrote. A file may have taken it over, so none of it is believed. */
function readFrames(output: Buffer): Frames {
  const headerEnd = output.subarray(0, HEADER_MAX).indexOf(NEWLINE);
  const header: Header = JSON.parse(output.toString('utf8', 0, headerEnd));
  if ('problem' in header) throw refusal(header);
  let at = headerEnd + 1;
  const frames = header.frames.map(({ format, width, bytes }): Frame => {
    const content = output.subarray(at, at + bytes);
    at += bytes;
    const isJpeg = format === 'jpg';
    const isSame = recognize(content).format === (isJpeg ? 'jpeg' : 'webp');
    if (!isSame || (isJpeg && jpegSegments(content) === undefined) || !Number.isInteger(width)) {
      throw new Error('the decoder wrote no pictures');
    }
    return { format: isJpeg ? 'jpg' : 'webp', width, bytes: content };
  });
  const { width, height } = header;
  if (at !== output.length || !Number.isInteger(width * height)) {
    throw new Error('the decoder wrote something else');
  }
  return { width, height, frames };
}

const PROBLEMS: Readonly<Record<Exclude<Unusable['problem'], 'unknown'>, string>> = {
  cut: 'is cut off: its end is missing',
  pixels: `has too many pixels: at most ${PIXELS_MAX / 1_000_000} million`,
  edge: `is too long: at most ${EDGE_MAX} pixels wide and high`,
  animated: 'is animated: send a picture that stands still',
  damaged: 'is damaged: it cannot be decoded',
};

/** The failure of a file of which no pictures can be made. */
function refusal({ problem, found }: Unusable, cause?: unknown): Failure {
  if (problem === 'unknown') return new Failure('unsupported_media_type', wrongKind(found));
  if (!Object.hasOwn(PROBLEMS, problem)) throw new Error('the decoder gave no reason');
  const what = found === undefined ? 'The file' : `The ${found} file`;
  return new Failure('invalid_request', `${what} ${PROBLEMS[problem]}.`, { cause });
}

/** What is said of a file that is no photo, by its name if it has one. */
function wrongKind(found: string | undefined): string {
  const taken = 'Send a JPEG, PNG or WebP file';
  if (found === undefined) return `${taken}: by its bytes, this is none of them.`;
  const isOfPhone = found === 'HEIC' || found === 'AVIF';
  const advice = isOfPhone ? ` ${SAVE_AS_JPEG}` : '';
  return `${taken}: this is ${found}, which the service cannot decode.${advice}`;
}

function busy(problem: string, cause?: unknown): Failure {
  const message = `${problem}; nothing was changed, try again shortly.`;
  return new Failure('service_unavailable', message, { retryAfterSeconds: RETRY_SECONDS, cause });
}
