import { make, type PartInfo } from 'multipasta';
import { Failure } from '../domain/failure.ts';

/** The media type of a form with a file, as browsers and most generated clients send one. */
export const FORM_TYPE = 'multipart/form-data';
/** What a form may have besides its file: names, boundaries, and the fields that are ignored. */
export const FORM_BYTES_MAX = 65_536;
/** A part without a name. */
export const OCTETS_TYPE = 'application/octet-stream';
/** The name of the part with the file in the document. Some clients give it neither a file name nor a type. */
const FILE_FIELD = 'file';
const NOTHING = new Uint8Array(0);
const DASH = 0x2d;

/** Returns whether a body of this type is a form. */
export function isForm(contentType: string | null): contentType is string {
  return contentType !== null && /^multipart\/form-data(?![^;\s])/i.test(contentType.trim());
}

/**
 * Creates the reader of a form, which finds its one file while the form arrives: `take` gets its bytes, in order.
 * Throws `unsupported_media_type` if the header does not say what separates the parts.
 */
export function createFormFile(contentType: string, take: (bytes: Uint8Array) => void) {
  let name: string | undefined;
  let isDone = false;
  let held: Uint8Array = NOTHING;
  const parser = make({
    headers: { 'content-type': contentType },
    // Every part is passed on as it comes, so that no field is kept.
    isFile: () => true,
    onField: () => {},
    onFile(part) {
      if (!isFile(part)) return () => {};
      const begin = () => {
        if (name !== undefined) throw invalid('it has two files: send one at a time.');
        name = part.filename ?? '';
      };
      // A form of a page in which nobody has chosen a file has one without a name and without bytes.
      let hasBegun = part.filename !== '';
      if (hasBegun) begin();
      return (bytes) => {
        if (bytes === null) return;
        if (!hasBegun) begin();
        hasBegun = true;
        take(bytes);
      };
    },
    onError({ _tag: problem }) {
      if (problem === 'InvalidBoundary') throw noBoundary();
      // A part whose headers say nothing of use is skipped, like any field.
      if (problem !== 'InvalidDisposition' && problem !== 'BadHeaders') throw unreadable();
    },
    onDone() {
      isDone = true;
    },
  });

  return {
    /** Passes on what these bytes of the form have of the file. Throws `invalid_body`, and what `take` throws. */
    write(bytes: Uint8Array): void {
      if (isDone) return;
      const all = held.length === 0 ? bytes : Buffer.concat([held, bytes]);
      const end = all.length - dashesAfter(all);
      held = all.slice(end);
      reading(() => parser.write(all.subarray(0, end)));
    },
    /** Returns the name of the file when the form has ended. Throws `invalid_body` if there was none. */
    end(): string {
      if (!isDone) reading(() => parser.write(held));
      if (!isDone) reading(() => parser.end());
      if (!isDone) throw unreadable();
      if (name !== undefined) return name;
      throw noFile();
    },
  };
}

/** Returns how many bytes must not be passed on yet: the parser misses the end of a form if its two dashes come one by one. */
function dashesAfter(bytes: Uint8Array): number {
  if (bytes.at(-1) !== DASH) return 0;
  return bytes.at(-2) === DASH ? 2 : 1;
}

function isFile({ name, filename, contentType }: PartInfo): boolean {
  return filename !== undefined || name === FILE_FIELD || contentType === OCTETS_TYPE;
}

/** Runs the parser, which throws errors of the runtime for names that are not encoded as they say. */
function reading(parse: () => void): void {
  try {
    parse();
  } catch (error) {
    throw error instanceof URIError ? unreadable() : error;
  }
}

function noBoundary(): Failure {
  const message = `The Content-Type header has no boundary: let your HTTP library set it when it writes ${FORM_TYPE}.`;
  return new Failure('unsupported_media_type', message);
}

/** The failure of a form without a file. */
export function noFile(): Failure {
  return invalid(`it has no file: send it as the part ${FILE_FIELD}, with a file name.`);
}

function unreadable(): Failure {
  return invalid('it is not complete, or not written as its Content-Type says.');
}

function invalid(problem: string): Failure {
  return new Failure('invalid_body', `The form cannot be used: ${problem}`);
}
