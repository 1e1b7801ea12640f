import { expect, test } from 'bun:test';
import { createWorkspace } from '../cli/workspace.ts';
import { eventually } from '../support/eventually.ts';
import { startOnTerminal } from '../support/terminal.ts';

test('import shows a progress bar on a terminal, and takes it away', async () => {
  using workspace = createWorkspace();
  const path = workspace.write('animals.csv', `name,categoryId\n${'Rex,1\n'.repeat(5_000)}`);
  const { child, screen } = startOnTerminal(['import', path], {
    PETSTORE_DATABASE: workspace.address,
  });
  expect(await child.exited).toBe(0);
  const shown = await eventually(screen, (text) => text.includes('rejected'));
  expect(shown).toMatch(/Importing [=-]+ \d+%/);
  expect(shown).toContain('5,000 new, 0 changed');
});
