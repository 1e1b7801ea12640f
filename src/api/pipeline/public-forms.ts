import { EMAIL } from '../../domain/shop.ts';
import type { AwaitedBodies } from '../../http/awaited-bodies.ts';
import { checkMediaType, createBodyReader } from '../../http/body.ts';
import { senderAt } from './console-session.ts';

/** Room for 2,000 characters of any script, each of which may take twelve bytes, and for twenty answers. */
const FORM_BYTES_MAX = 131_072;
const FORM_TYPE = 'application/x-www-form-urlencoded';

/** A form that somebody has sent. Nothing in a line can start another one. */
export interface SentForm {
  line(name: string): string;
  lines(name: string): string;
}

/** Creates the reader of the forms that visitors send. It throws a `Failure` for a body that is none. */
export function createFormReader(bodies: AwaitedBodies) {
  const readBytes = createBodyReader(bodies, FORM_BYTES_MAX);
  return async (request: Request, address: string): Promise<SentForm> => {
    checkMediaType(request.headers, [FORM_TYPE]);
    const bytes = await readBytes(request, senderAt(address));
    const sent = new URLSearchParams(new TextDecoder().decode(bytes));
    return {
      line: (name) =>
        sent
          .get(name)
          ?.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
          .trim() ?? '',
      lines: (name) =>
        sent
          .get(name)
          ?.replace(/\r\n|[\r\u0085\u2028\u2029]/g, '\n')
          .replace(/[^\P{Cc}\t\n]/gu, '')
          .trim() ?? '',
    };
  };
}

/** Returns whether a text is an e-mail address. */
export function isEmail(text: string): boolean {
  return EMAIL.pattern.test(text) && text.length <= EMAIL.max;
}
