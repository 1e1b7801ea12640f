/**
 * Checks of the client that run on every runtime, so they use nothing that only one of them has.
 * They get the addresses of servers that a test has started.
 */
import { Petstore, PetstoreError, type PetstoreOptions } from 'petstore-client';
import type { SeenRequest } from '../scripted-server.ts';

/** What a check works with. */
export interface World {
  /** The address of the real service, with `/v1`. */
  readonly baseUrl: string;
  readonly apiKey: string;
  /** The address of a scripted server. */
  readonly scripted: string;
  /** An address at which nothing listens, with `/v1`. */
  readonly closed: string;
}

export interface Check {
  readonly name: string;
  run(world: World): Promise<void>;
}

/** The result of a check: why it failed, or undefined. */
export interface CheckResult {
  readonly name: string;
  readonly failure?: string | undefined;
}

/** A client of the real service. */
export function storeOf({ baseUrl, apiKey }: World): Petstore {
  return new Petstore({ baseUrl, apiKey });
}

/** A client of a server that answers as a script says, and what that server got. */
export interface ScriptedStore {
  readonly store: Petstore;
  seen(): Promise<readonly SeenRequest[]>;
}

/** A client whose requests are answered by these steps, one after the other, then by the last. */
export function scriptedStore(
  { scripted }: Pick<World, 'scripted'>,
  steps: string,
  options: Partial<PetstoreOptions> = {},
): ScriptedStore {
  const run = `run-${Math.random()}`;
  const baseUrl = `${scripted}/${encodeURIComponent(steps)}/${run}/v1`;
  return {
    store: new Petstore({ baseUrl, apiKey: 'a-key', ...options }),
    // The scripted server writes its log as this.
    seen: async () =>
      (await fetch(`${scripted}/log/${run}`)).json() as Promise<readonly SeenRequest[]>,
  };
}

/** Throws unless two values are equal; they may have `bigint`s. */
export function equal(actual: unknown, expected: unknown, what = 'the value'): void {
  const [is, should] = [actual, expected].map(textOf);
  if (is !== should) throw new Error(`${what} is ${is}, not ${should}`);
}

/** Returns the error that a call throws. */
export async function failureOf(call: PromiseLike<unknown>): Promise<PetstoreError> {
  try {
    await call;
  } catch (error) {
    if (error instanceof PetstoreError) return error;
    throw error;
  }
  throw new Error('The call did not fail.');
}

function textOf(value: unknown): string {
  const mark = (_: string, field: unknown) => (typeof field === 'bigint' ? `${field}n` : field);
  return JSON.stringify(value, mark) ?? 'undefined';
}
