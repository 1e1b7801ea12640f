import type { Input } from './input.ts';
import {
  expectationProblem,
  type Received,
  readResponses,
  responseProblem,
  WireProblem,
  type WireResponse,
} from './wire.ts';

/** The outcome of an input. */
export interface Verdict {
  /** The name it is counted under: the statuses, and how the connection ended. */
  readonly outcome: string;
  /** The problem as a sentence, if any. */
  readonly problem: string | undefined;
}

/** An outcome lists at most this many statuses. */
const SPELLED_OUT = 2;

/** Returns the verdict on the responses to an input. */
export function verdictOf(input: Input, received: Received): Verdict {
  if (received.end === 'open') return { outcome: 'hang', problem: 'it hangs' };
  const sent = Buffer.concat(input.steps.flatMap((step) => (step.do === 'send' ? step.bytes : [])));
  const text = sent.toString('latin1');
  const { expected } = input;
  const perhapsHead = text.includes('HEAD ');
  try {
    const responses = readResponses(received.bytes, {
      bodyless: (index) =>
        typeof expected === 'string'
          ? perhapsHead && 'perhaps'
          : expected.responses[index]?.bodyless === true,
      continues: /100-continue/i.test(text),
      mayBeCut: received.end === 'reset',
      longMayBeCut: expected === 'valid' || (typeof expected === 'object' && !expected.all),
    });
    const problems = responses.map((response, i) =>
      responseProblem(response, i === responses.length - 1),
    );
    const problem =
      problems.find((found) => found !== undefined) ??
      expectationProblem(responses, isCutShort(received, responses) ? 'valid' : expected);
    return { outcome: outcomeOf(responses), problem };
  } catch (error) {
    if (!(error instanceof WireProblem)) throw error;
    return { outcome: 'no valid response', problem: error.message };
  }
}

/**
 * Bytes that arrive after the server has closed make it reset the connection, which can lose a
 * response on the way.
 */
function isCutShort({ end, sentAll }: Received, responses: readonly WireResponse[]): boolean {
  return (end === 'reset' || !sentAll) && responses.length === 0;
}

function outcomeOf(responses: readonly WireResponse[]): string {
  if (responses.length === 0) return 'closed';
  if (responses.length > SPELLED_OUT) return 'many responses';
  return responses
    .map(
      ({ status, headers }) => `${status}${headers.has('x-request-id') ? '' : ' of the runtime'}`,
    )
    .join(', ');
}
