import type { LineAnswer } from './line.ts';
import type { Load } from './loads.ts';

/** Of so many successes one is compared to the byte: more would keep the crowd from its plan. */
const COMPARED_OF = 256;

/** Looks at answers. */
export interface Judge {
  /** What an answer to the `turn`th request is: a success, a refusal, or else what is wrong. */
  of(turn: number, response: LineAnswer): 'success' | 'refused' | { readonly wrong: string };
  /** How many bodies were compared. */
  compared(): number;
}

export function createJudge({ kinds }: Load): Judge {
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
