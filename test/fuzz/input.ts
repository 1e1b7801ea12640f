/** A step on a connection. After the last step, our side ends the connection. */
export type Step =
  | { readonly do: 'send'; readonly bytes: Uint8Array }
  | { readonly do: 'pause'; readonly ms: number }
  /** Waits until the server closes the connection. */
  | { readonly do: 'await-close' }
  /** Waits until all required responses are there, or until a short silence. */
  | { readonly do: 'await-responses' }
  /** Resets the connection, as a client that crashes does. */
  | { readonly do: 'reset' };

/** A response that is expected. */
export interface ExpectedResponse {
  readonly statuses: readonly number[];
  /** True for a response to HEAD, which has a length but no body. */
  readonly bodyless?: boolean;
  /** The required X-Request-Id, which tells pipelined responses apart. */
  readonly requestId?: string;
}

/**
 * What must come back: exactly these responses in this order, `all` of them or those that came
 * before the connection ended; `refusal`: at most one refusal (4xx or 5xx) before it ended; `valid`:
 * any valid responses.
 */
export type Expected =
  | { readonly responses: readonly ExpectedResponse[]; readonly all: boolean }
  | 'refusal'
  | 'valid';

/** All of these responses. */
export function all(...responses: readonly ExpectedResponse[]): Expected {
  return { responses, all: true };
}

/** These responses, or the first of them if the connection ends early. */
export function atMost(...responses: readonly ExpectedResponse[]): Expected {
  return { responses, all: false };
}

/** One input of the fuzz test. */
export interface Input {
  /** Inputs are counted by kind. */
  readonly kind: string;
  readonly steps: readonly Step[];
  readonly expected: Expected;
}

/** Encodes text as Latin-1: one byte per character. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'latin1');
}

export function send(data: string | Uint8Array): Step {
  return { do: 'send', bytes: typeof data === 'string' ? bytesOf(data) : data };
}

export const AWAIT_RESPONSES: Step = { do: 'await-responses' };

/** An input that sends everything at once and then waits for the responses. */
export function plainInput(kind: string, data: string | Uint8Array, expected: Expected): Input {
  return { kind, steps: [send(data), AWAIT_RESPONSES], expected };
}

/** The steps as JSON, for a file. */
export function writeSteps(steps: readonly Step[]): object[] {
  return steps.map((step) =>
    step.do === 'send' ? { do: 'send', hex: Buffer.from(step.bytes).toString('hex') } : step,
  );
}

/** Reads the output of `writeSteps`. */
export function readSteps(stored: readonly (Step | { do: 'send'; hex: string })[]): Step[] {
  return stored.map((step) => ('hex' in step ? send(Buffer.from(step.hex, 'hex')) : step));
}
