import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import { eventually } from '../support/eventually.ts';
import { startServing } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';
import { crash } from './crash/cycles.ts';
import { killAtRandomTime } from './crash/kill-strategy.ts';
import { createRandom } from './crash/random.ts';

setDefaultTimeout(120_000);

const apart = { connection: 'close' };

describe('petstore serve --workers 2', () => {
  test('answers from both, and ends with its log whole at a signal under load', async () => {
    using folder = createTemporaryFolder();
    const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
    await using served = await startServing(settings, '--workers', '2', '--ops-port', 'off');
    const { child, client } = served;
    let acknowledged = 0;
    let over = false;
    const write = async () => {
      while (!over) {
        const body = { name: 'Rex', categoryId: 1 };
        const response = await client.post('/v1/pets', body, apart).catch(() => undefined);
        if (response === undefined) return;
        expect(response.status).toBe(201);
        acknowledged++;
      }
    };
    const writers = Array.from({ length: 8 }, write);
    await eventually(
      () => acknowledged,
      (count) => count > 200,
    );
    child.kill('SIGTERM');
    await Promise.all(writers);
    over = true;
    expect(await child.exited).toBe(0);
    expect(await served.errors).not.toContain('rror');
    const created = () => {
      const lines = served.output().trim().split('\n');
      const whole = lines.filter((line) => line.startsWith('{') && line.endsWith('}'));
      return whole.filter((line) => JSON.parse(line).status === 201).length;
    };
    // Every request that was answered has a whole line.
    await eventually(created, (count) => count >= acknowledged);
    await using again = await startServing(settings, '--ops-port', 'off');
    const stats = await again.client.get(`/v1/pets/${acknowledged}`);
    expect(stats.status).toBe(200);
  });

  test('changes nothing at SIGHUP without a certificate', async () => {
    using folder = createTemporaryFolder();
    const settings = { PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}` };
    await using served = await startServing(settings, '--workers', '2', '--ops-port', 'off');
    served.child.kill('SIGHUP');
    await eventually(served.output, (output) => output.includes('SIGHUP changes nothing'));
    expect((await served.client.get('/v1/pets', apart)).status).toBe(200);
  });

  test('loses and doubles nothing when it is killed under load', async () => {
    const random = createRandom(7);
    const figures = await crash(3, random, () => killAtRandomTime(random), undefined, 2);
    expect(figures.problems).toEqual([]);
    expect(figures.writes).toBeGreaterThan(0);
  });
});
