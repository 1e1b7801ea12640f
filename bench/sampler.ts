import { RESPONSE_TIMEOUT_SECONDS } from './load.ts';
import { requestOf, type Scenario } from './scenarios.ts';

/** Samples per second: enough to notice a wrong response, too few to affect the load. */
const PAUSE_MS = 50;
/** Spreads samples over the scenario's paths. */
const STRIDE = 37;

/** A client that checks responses while the load runs. */
export interface Sampler {
  /** Stops and returns the number of samples. Throws for the first wrong response. */
  stop(): Promise<number>;
}

/** Samples a server. Each response must have the scenario's status and a correct body. */
export function startSampler(origin: string, scenario: Scenario, authorization: string): Sampler {
  let stopping = false;

  async function sample(): Promise<number> {
    let read = 0;
    while (!stopping) {
      await sampleOne(read * STRIDE);
      read++;
      await Bun.sleep(PAUSE_MS);
    }
    return read;
  }

  async function sampleOne(turn: number): Promise<void> {
    const { method, path, headers, body } = requestOf(scenario, authorization, turn);
    const signal = AbortSignal.timeout(RESPONSE_TIMEOUT_SECONDS * 1_000);
    const init = { method, headers, signal, ...(body !== '' && { body }) };
    const response = await fetch(origin + path, init);
    const text = await response.text();
    if (response.status === scenario.status && scenario.isRight(path, JSON.parse(text))) return;
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
