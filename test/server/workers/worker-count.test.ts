import { describe, expect, test } from 'bun:test';
import { settingFindings } from '../../../src/doctor/settings.ts';
import { createRestartDelays } from '../../../src/server/workers/crew.ts';
import {
  coresOfQuota,
  countWorkers,
  type Machine,
} from '../../../src/server/workers/worker-count.ts';
import { readConfig } from '../../../src/settings/config.ts';

const FOUR: Machine = { platform: 'linux', cores: 4 };
const FILE = 'sqlite:petstore.db';

describe('the number of workers', () => {
  test.each([
    [1, FOUR, 1],
    [3, FOUR, 3],
    [64, FOUR, 64],
    ['auto', FOUR, 4],
    ['auto', { ...FOUR, cores: 1 }, 1],
    ['auto', { ...FOUR, cores: 128 }, 16],
  ] as const)('for %p on %p is %p', (workers, machine, expected) => {
    expect(countWorkers({ workers, database: FILE }, machine)).toEqual({ workers: expected });
  });

  test.each(['darwin', 'win32'] as const)('is one on %s, with the reason', (platform) => {
    const machine = { ...FOUR, platform };
    const counted = countWorkers({ workers: 2, database: FILE }, machine);
    expect(counted).toEqual({ workers: 1, reason: expect.stringContaining('spread') });
    expect(countWorkers({ workers: 1, database: FILE }, machine)).toEqual({ workers: 1 });
  });

  test('is one for a database in memory, with the reason', () => {
    const counted = countWorkers({ workers: 'auto', database: 'sqlite::memory:' }, FOUR);
    expect(counted).toEqual({ workers: 1, reason: expect.stringContaining('memory') });
  });

  test.each([
    ['max 100000\n', undefined],
    ['200000 100000\n', 2],
    ['150000 100000\n', 1],
    ['50000 100000\n', 1],
    ['', undefined],
    ['nonsense', undefined],
  ])('takes the quota %p for %p cores', (text, cores) => {
    expect(coresOfQuota(text)).toBe(cores);
  });

  test.each([
    [{ PETSTORE_WORKERS: '5' }, FOUR, '5 workers share 4 cores.'],
    [{ PETSTORE_WORKERS: '2' }, { ...FOUR, platform: 'darwin' }, 'One worker serves'],
  ] as const)('is judged by the doctor: %p', (variables, machine, found) => {
    const values = readConfig({}, variables);
    const findings = settingFindings({ values, problems: [] }, variables, machine);
    expect(findings.some((finding) => finding.found.includes(found))).toBe(true);
  });

  test.each(['0', '65', 'all', '1.5', '-1'])('cannot be %p', (text) => {
    expect(() => readConfig({}, { PETSTORE_WORKERS: text })).toThrow('1 to 64, or auto');
  });
});

describe('the delay before a worker is replaced', () => {
  test('is none at first, then doubles up to 10 s, and starts again after 10 s of service', () => {
    let now = 0;
    const delays = createRestartDelays(() => now);
    const dies = () => {
      delays.started();
      now += 1;
      return delays.next();
    };
    const seen = Array.from({ length: 10 }, dies);
    expect(seen).toEqual([0, 100, 200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
    delays.started();
    now += 10_000;
    expect(delays.next()).toBe(0);
    expect(delays.next()).toBe(100);
  });
});
