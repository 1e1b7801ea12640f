import { resolve } from 'node:path';
import { Command } from 'commander';
import { databaseAddress } from '../storage/address.ts';
import { backUp } from '../storage/transfer/backup.ts';
import { openSource } from '../storage/transfer/open-portable.ts';
import { transferText } from './row-counts.ts';
import { addSettings, configOf } from './setting-options.ts';
import { withProgress } from './transfer-progress.ts';

const NOTES = `
It may run while the service does, on either engine: the file holds one state, with everything that
was acknowledged before the backup began. It is one file of SQLite with the whole shop, keys included
(as hashes), and only you may read it. \`petstore restore\` takes it to either engine.`;

/** `petstore backup` */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('write the whole shop into a file, also while the service runs')
    .argument('<FILE>', 'where to; it appears when it is whole and on disk')
    .option('--force', 'replace a file that is there')
    .addHelpText('after', NOTES);
  return addSettings(command, ['database']).action((file: string, { force = false }) =>
    backup(configOf(command).database, resolve(file), force),
  );
}

async function backup(database: string, path: string, force: boolean): Promise<void> {
  const begin = performance.now();
  const address = databaseAddress(database);
  const own = address.engine === 'sqlite' ? address.path : undefined;
  const source = await openSource(database, 'read');
  try {
    const counts = await withProgress('Backing up', (progress) =>
      backUp(source, { path, force, own }, progress),
    );
    const text = transferText(counts, begin, 'read back, compared and checked');
    process.stdout.write(`Backed up ${source.name} to ${path}: ${text}.\n`);
  } finally {
    await source.close();
  }
}
