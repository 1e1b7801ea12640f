import { expect, test } from 'bun:test';
import { search } from './campaign.ts';
import { problemsOf } from './report.ts';

/*
 * The whole corpus and some random inputs. `npm run fuzz -- --minutes 60` does a long run, with
 * other seeds; `--replay` repeats one input.
 */
const SEED = 20_261_121;
const RANDOM_INPUTS = 800;

// The memory of the server is read from /proc.
test.skipIf(process.platform !== 'linux')(
  'any input gets a valid response or a closed connection, and affects no other client',
  async () => {
    const findings = await search({
      seed: SEED,
      isOver: (sent) => sent >= RANDOM_INPUTS,
      connections: 16,
      slowConnections: 4,
      idleConnections: 1_000,
    });
    expect(problemsOf(findings)).toEqual([]);
    expect(findings.inputs).toBeGreaterThan(RANDOM_INPUTS);
    expect(findings.companion.latencies.length).toBeGreaterThan(10);
  },
  60_000,
);
