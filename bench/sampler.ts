import { ANSWER_TIMEOUT_SECONDS } from './load.ts';
import { requestOf, type Scenario } from './scenarios.ts';

/** A few requests beside the load: enough to notice a wrong answer, too few to be felt. */
const PAUSE_MS = 50;
/** So that samples spread over the scenario's paths instead of following each other. */
const STRIDE = 37;

/** A client that reads answers while the load runs. */
export interface Sampler {
  /** Ends it; gives how many answers it read. Throws for the first that was wrong. */
  stop(): Promise<number>;
}

/** Samples a server; each answer must have the scenario's status and a right body. */
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
    const signal = AbortSignal.timeout(ANSWER_TIMEOUT_SECONDS * 1_000);
    const init = { method, headers, signal, ...(body !== '' && { body }) };
    const response = await fetch(origin + path, init);
    const text = await response.text();
    if (response.status === scenario.status && scenario.isRight(path, JSON.parse(text))) return;
    throw new Error(`a wrong answer to ${method} ${path}: ${response.status} ${text}`);
  }

  const samples = sample();
  // A failure is told when the load is done and `stop` is awaited.
  samples.catch(() => {});
  return {
    stop() {
      stopping = true;
      return samples;
    },
  };
}
