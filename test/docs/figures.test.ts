import { describe, expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSampleAnimals } from '../../src/cli/sample-animals.ts';
import { openStorage } from '../../src/storage/open.ts';
import { createWorkspace } from '../cli/workspace.ts';

const read = (path: string) => readFileSync(join(import.meta.dir, '../..', path), 'utf8');
describe('docs/BACKUP.md', () => {
  test('shows the real output of a backup of the sample animals', async () => {
    using workspace = createWorkspace();
    const storage = await openStorage(workspace.address, 'production');
    await importSampleAnimals(storage);
    await storage.close();
    await workspace.output('keys', 'create', '--name', 'first key', '--plan', 'pro');
    const output = await workspace.output('backup', workspace.path('shop.backup'));
    const [shown = ''] = /\d+ animals, .*? webhooks? \(/.exec(read('docs/BACKUP.md')) ?? [];
    expect(shown).not.toBe('');
    expect(output).toContain(shown);
  });
});
