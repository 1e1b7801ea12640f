import { Command } from 'commander';
import { redactPassword } from '../storage/address.ts';
import { addDatabaseSettings, withStorage } from './setting-options.ts';

/** `petstore migrate` */
export function migrateCommand(): Command {
  const command = new Command('migrate').description(
    'create the database, or update it to this release',
  );
  return addDatabaseSettings(command).action(() =>
    withStorage(command, 'create', async (_storage, config) => {
      process.stdout.write(`${redactPassword(config.database)} is up to date.\n`);
    }),
  );
}
