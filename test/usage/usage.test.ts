import { expect, test } from 'bun:test';
import { startValkey } from '../limits/valkey-server.ts';
import { chosenEngine } from '../support/engines.ts';
import { runUsage } from './usage-run.ts';

const REQUESTS = 1_500;
const TIMEOUT_MS = 120_000;

test.each([chosenEngine()])(
  'two instances on $name count what was sent, refused and failed, each once',
  async (engine) => {
    await using valkey = engine.name === 'postgres' ? await startValkey() : undefined;
    await using database = await engine.createDatabase();
    const limits = valkey?.address ?? 'memory:';
    const outcomes = await runUsage({ database, limits, requests: REQUESTS });
    for (const { received, counted } of outcomes) {
      expect(counted).toEqual({ hour: received, day: received });
    }
    const total = (name: 'requests' | 'refused' | 'errors') =>
      outcomes.reduce((sum, { received }) => sum + received[name], 0);
    expect(total('requests') + total('refused')).toBe(REQUESTS);
    expect(total('refused')).toBeGreaterThan(100);
    expect(total('errors')).toBeGreaterThan(0);
  },
  TIMEOUT_MS,
);
