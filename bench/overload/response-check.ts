import type { ReceivedResponse } from './connection.ts';
import type { Load } from './loads.ts';

/** One success in this many is compared to the byte: more would delay the load's schedule. */
const COMPARED_OF = 256;

/** Checks responses. */
export interface ResponseCheck {
  /** Classifies the response to the `turn`th request as success, refusal or a description of the error. */
  of(turn: number, response: ReceivedResponse): 'success' | 'refused' | { readonly wrong: string };
  /** The number of compared bodies. */
  compared(): number;
}

export function createResponseCheck({ kinds }: Load): ResponseCheck {
  let successes = 0;
  let compared = 0;

  function isRight(turn: number, body: string): boolean {
    const kind = kinds[turn % kinds.length];
    const path = kind?.load.paths[turn % kind.load.paths.length] ?? '';
    compared++;
    return kind?.isRight(path, JSON.parse(body)) === true;
  }

  return {
    of(turn, { status, head, body }) {
      if (status === 503) {
        if (!/\r\nretry-after: [1-9]/i.test(head)) return { wrong: `no Retry-After: ${head}` };
        const code = '"code":"service_unavailable"';
        return body.includes(code) ? 'refused' : { wrong: `no body of ours: ${body}` };
      }
      if (status !== kinds[turn % kinds.length]?.status) return { wrong: `${head}\n\n${body}` };
      if (successes++ % COMPARED_OF !== 0 || isRight(turn, body.toString())) return 'success';
      return { wrong: `another body: ${body}` };
    },
    compared: () => compared,
  };
}
