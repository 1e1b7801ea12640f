import { resolve } from 'node:path';
import { Command } from 'commander';
import { databaseAddress } from '../storage/address.ts';
import { backUp } from '../storage/transfer/backup.ts';
import { openSource } from '../storage/transfer/open-portable.ts';
import { transferText } from './row-counts.ts';
import { addSettings, configOf } from './setting-options.ts';
import { withProgress } from './transfer-progress.ts';

const NOTES = `
You can run it while the service runs. The backup holds everything that the service had confirmed
when the backup started. It is one SQLite file with the whole database, including keys (as hashes),
and only you can read it. \`petstore restore\` loads it into SQLite or PostgreSQL.`;

/** `petstore backup` */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('write the whole database to a file, even while the service runs')
    .argument('<FILE>', 'file to write; it appears once it is complete and on disk')
    .option('--force', 'replace an existing file')
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
