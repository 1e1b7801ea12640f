import { contentOf, type Kind, requestOf } from './kinds.ts';
import { RESPONSE_TIMEOUT_SECONDS } from './load.ts';
import { kindAt, type Scenario } from './scenarios.ts';

/** Samples per second: enough to notice a wrong response, too few to affect the load. */
const PAUSE_MS = 50;
/** Spreads samples over the scenario's order and the paths of its kinds. */
const STRIDE = 37;

/** The samples of one run, all of them correct. */
interface Samples {
  readonly read: number;
  /** How many of them added an animal. */
  readonly added: number;
}

/** A client that checks responses while the load runs. */
export interface Sampler {
  /** Stops and returns what was sampled. Throws for the first wrong response. */
  stop(): Promise<Samples>;
}

/** Samples a server. Each response must have the status of its kind and a correct body. */
export function startSampler(origin: string, scenario: Scenario, authorization: string): Sampler {
  let stopping = false;

  async function sample(): Promise<Samples> {
    let [read, added] = [0, 0];
    while (!stopping) {
      if ((await sampleOne(read * STRIDE)).load.method === 'POST') added++;
      read++;
      await Bun.sleep(PAUSE_MS);
    }
    return { read, added };
  }

  async function sampleOne(turn: number): Promise<Kind> {
    const kind = kindAt(scenario, turn);
    const { method, path, headers, body } = requestOf(kind, authorization, turn);
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_SECONDS * 1_000);
    const init = { method, headers, signal, ...(body !== '' && { body }) };
    const response = await fetch(origin + path, init);
    const text = await response.text();
    if (response.status === kind.status && kind.isRight(path, contentOf(text))) return kind;
    throw new Error(`a wrong response to ${method} ${path}: ${response.status} ${text}`);
  }

  const samples = sample();
  // A failure is reported when the load is done and `stop` is awaited.
  samples.catch(() => {});
  return {
    stop() {
      stopping = true;
      return samples;
    },
  };
}
