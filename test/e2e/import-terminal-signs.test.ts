import { expect, test } from 'bun:test';
import { createWorkspace } from '../cli/workspace.ts';

/** Clears the screen, and sets the title of the window. */
const CONTROL_SEQUENCES = '\x1b[2J\x1b]0;title\x07\x9b2J';

test('the contents of a file cannot control the terminal', async () => {
  using workspace = createWorkspace();
  const file = workspace.write(
    'animals.csv',
    `id,name,categoryId,status\n1,Rex,1,${CONTROL_SEQUENCES}\n`,
  );
  const summary = await workspace.output('import', file, '--dry-run');
  expect(summary).toContain('status "\uFFFD[2J');
  const columns = workspace.write('columns.csv', `id,${CONTROL_SEQUENCES}\n1,Rex\n`);
  const refused = await workspace.run('import', columns);
  expect(refused.exitCode).toBe(1);
  for (const text of [summary, refused.stderr]) expect(text).not.toMatch(/[^\P{Cc}\n]/u);
});
