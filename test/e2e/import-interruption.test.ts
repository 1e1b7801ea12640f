import { Database } from 'bun:sqlite';
import { beforeEach, describe, expect, test } from 'bun:test';
import { createWorkspace } from '../cli/workspace.ts';
import { spawnPetstore } from '../support/command-line.ts';
import { eventually } from '../support/eventually.ts';
import { forEachTest } from '../support/lifetime.ts';
import { startProcessClock } from '../support/process-clock.ts';
import { startServing } from '../support/serving.ts';

const ROWS = 20_000;
const BATCH_ROWS = 1_000;

let path: string;
const workspace = forEachTest(() => createWorkspace());
beforeEach(() => {
  const rows = Array.from({ length: ROWS }, (_, i) => `Pet ${i},${i},x${i}\n`);
  path = workspace.write('animals.csv', `name,categoryId,external_id\n${rows.join('')}`);
});

/** Number of animals, read while another process adds them. */
function count(): number {
  if (!workspace.exists('petstore.db')) return 0;
  try {
    using database = new Database(workspace.path('petstore.db'), { readonly: true });
    const row = database.query<{ n: number }, []>('SELECT count(*) AS n FROM pets').get();
    return row?.n ?? 0;
  } catch {
    return 0; // Not a whole database yet.
  }
}

const spawnImport = () => spawnPetstore(['import', path], { PETSTORE_DATABASE: workspace.address });

describe('petstore import', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)(
    'stops on %s after a whole batch, says so, and continues the next time',
    async (signal) => {
      await workspace.output('migrate');
      const child = spawnImport();
      await eventually(count, (animals) => animals > 0);
      child.kill(signal);
      expect(await child.exited).toBe(1);
      expect(await child.stdout.text()).toBe('');
      const inside = count();
      expect(inside % BATCH_ROWS).toBe(0);
      expect(inside).toBeLessThan(ROWS);
      expect(await child.stderr.text()).toBe(
        `petstore: stopped as you asked. The rows of ${path} before line ${inside + 2} are in; ` +
          'import the file again to finish; rows that are in already change nothing.\n',
      );
      const rest = (ROWS - inside).toLocaleString('en-US');
      const summary = await workspace.output('import', path);
      expect(summary).toContain(`${rest} new, 0 changed, ${inside.toLocaleString('en-US')} unch`);
      expect(count()).toBe(ROWS);
    },
    60_000,
  );

  test('has imported whole batches after a kill, and can be run again', async () => {
    const child = spawnImport();
    await eventually(count, (animals) => animals > 0);
    child.kill('SIGKILL');
    await child.exited;
    const inside = count();
    expect(inside % BATCH_ROWS).toBe(0);
    expect(inside).toBeLessThan(ROWS);
    expect(await workspace.output('import', path)).toContain('0 changed,');
    expect(count()).toBe(ROWS);
  }, 60_000);

  test('without external ids prints the line to continue from', async () => {
    workspace.write('animals.csv', `name,categoryId\n${'Rex,1\n'.repeat(ROWS)}`);
    const child = spawnImport();
    await eventually(count, (animals) => animals > 0);
    child.kill('SIGINT');
    expect(await child.exited).toBe(1);
    expect(await child.stderr.text()).toMatch(
      new RegExp(
        `before line ${count() + 2} are in; to continue, import only the header and the lines from there`,
      ),
    );
  }, 60_000);

  test('does not delay a server on the same database', async () => {
    await using serving = await startServing({
      PETSTORE_DATABASE: workspace.address,
    });
    const { client } = serving;
    const child = spawnImport();
    using clock = startProcessClock();
    let slowest = 0;
    let requests = 0;
    while (child.exitCode === null) {
      const start = clock.now();
      const { status } = await client.post('/v1/pets', '{"name":"Between","categoryId":7}');
      expect(status).toBe(201);
      slowest = Math.max(slowest, clock.now() - start);
      requests++;
    }
    expect(await child.exited).toBe(0);
    expect(slowest).toBeLessThan(1_500);
    expect(count()).toBe(ROWS + requests);
  }, 60_000);
});
