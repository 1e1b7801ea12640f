/** What is done to a connection, one step after the other. Once all are done, our side ends it. */
export type Step =
  | { readonly do: 'send'; readonly bytes: Uint8Array }
  | { readonly do: 'pause'; readonly ms: number }
  /** Waits until the server has closed the connection by itself. */
  | { readonly do: 'await-close' }
  /** Waits until all answers are there that must come, or nothing has come for a while. */
  | { readonly do: 'await-answers' }
  /** Breaks the connection off, as a client that dies does. */
  | { readonly do: 'reset' };

/** A response that must come. */
export interface ExpectedAnswer {
  readonly statuses: readonly number[];
  /** Whether it responds to HEAD, and so has a length but no body. */
  readonly bodyless?: boolean;
  /** The X-Request-Id it must have, which tells pipelined responses apart. */
  readonly requestId?: string;
}

/**
 * What must come back: these answers in this order and no others, `all` of them or as many as came
 * before the connection ended; one refusal (4xx or 5xx) or none before it ended; or any answers
 * that are valid.
 */
export type Expected =
  | { readonly answers: readonly ExpectedAnswer[]; readonly all: boolean }
  | 'refusal'
  | 'valid';

/** All of these responses. */
export function all(...responses: readonly ExpectedAnswer[]): Expected {
  return { answers: responses, all: true };
}

/** These responses, or those that came before the connection ended. */
export function atMost(...responses: readonly ExpectedAnswer[]): Expected {
  return { answers: responses, all: false };
}

/** One input of the fuzz. */
export interface Input {
  /** The kind under which it is counted. */
  readonly kind: string;
  readonly steps: readonly Step[];
  readonly expected: Expected;
}

/** Texts are written as Latin-1, one byte for each character. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

export function send(data: string | Uint8Array): Step {
  return { do: 'send', bytes: typeof data === 'string' ? bytesOf(data) : data };
}

export const AWAIT_ANSWERS: Step = { do: 'await-answers' };

/** An input that sends all at once and then waits for what comes. */
export function plainInput(kind: string, data: string | Uint8Array, expected: Expected): Input {
  return { kind, steps: [send(data), AWAIT_ANSWERS], expected };
}

/** The steps as JSON that can be kept in a file. */
export function writeSteps(steps: readonly Step[]): object[] {
  return steps.map((step) =>
    step.do === 'send' ? { do: 'send', hex: Buffer.from(step.bytes).toString('hex') } : step,
  );
}

/** Reads what `writeSteps` has written. */
export function readSteps(stored: readonly (Step | { do: 'send'; hex: string })[]): Step[] {
  return stored.map((step) => ('hex' in step ? send(Buffer.from(step.hex, 'hex')) : step));
}
