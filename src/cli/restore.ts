import { resolve } from 'node:path';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { openBackup, openTarget } from '../storage/transfer/open-portable.ts';
import { restoreDatabase } from '../storage/transfer/restore.ts';
import { CommandFailure } from './explain.ts';
import { databaseFlag, programName } from './program-name.ts';
import { transferText } from './row-counts.ts';
import { addDatabaseSettings, configOf } from './setting-options.ts';
import { withProgress } from './transfer-progress.ts';
import { announceDatabase } from './warnings.ts';

const NOTES = `
The database must be empty, no server may use it, and it is created if it does not exist. The
backup file is not changed. Ids that the database has already used are not used again.`;

/** `petstore restore` */
export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('load a backup into a database, SQLite or PostgreSQL')
    .argument('<FILE>', 'file that `petstore backup` wrote')
    .option('--force', 'replace everything in the database')
    .addHelpText('after', NOTES);
  return addDatabaseSettings(command).action((file: string, { force = false }) =>
    restore(configOf(command), resolve(file), force),
  );
}

async function restore(
  { database, environment }: Config,
  path: string,
  force: boolean,
): Promise<void> {
  const begin = performance.now();
  const backup = await openBackup(path);
  try {
    if (backup.environment !== environment) {
      throw new CommandFailure(
        `${path} is a backup of the ${backup.environment} deployment, and this is ${environment}: ` +
          `add --environment ${backup.environment} if that is what you mean.`,
      );
    }
    const target = await openTarget(database, environment, () => announceDatabase(database));
    try {
      const counts = await withProgress('Restoring', (progress) =>
        restoreDatabase(backup, target, force, progress),
      );
      const text = transferText(counts, begin, 'read back and compared');
      process.stdout.write(
        `Restored ${path} into ${target.name}: ${text}.\n\n` +
          `${programName()} serve ${databaseFlag(database)}\n`,
      );
    } finally {
      await target.close();
    }
  } finally {
    await backup.close();
  }
}
