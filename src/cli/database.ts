import { Command } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { redactPassword } from '../storage/address.ts';
import { describeServer } from '../storage/migrations.ts';
import { openStorage } from '../storage/open.ts';
import { CommandFailure } from './explain.ts';
import { addDatabaseSettings, configOf, noticesOf, withStorage } from './setting-options.ts';

/** `petstore migrate` */
export function migrateCommand(): Command {
  const command = new Command('migrate')
    .description('create the database, or update it to this release')
    .option(
      '--force',
      'also under servers that cannot use the new schema: they then refuse requests',
    );
  return addDatabaseSettings(command).action(async ({ force }: { readonly force?: true }) => {
    const { database, environment } = configOf(command);
    const storage = await openStorage(database, environment, {
      force: force === true,
      alsoServed: (servers) =>
        process.stderr.write(`petstore: in use by ${servers.map(describeServer).join('; ')}\n`),
      ...noticesOf(database),
    });
    await storage.close();
    process.stdout.write(`${redactPassword(database)} is up to date.\n`);
  });
}

/** `petstore reset`: only for staging. */
export function resetCommand(): Command {
  const command = new Command('reset').description(
    'staging only: remove all animals and categories; keys stay',
  );
  return addDatabaseSettings(command).action(async () => {
    if (configOf(command).environment !== 'staging') {
      throw new CommandFailure(
        'only staging can be reset; add --environment staging if that is what you mean.',
      );
    }
    await withStorage(command, 'change', async (storage) => {
      const count = await storage.pets.count();
      await storage.reset({ at: systemClock.now(), keyId: null });
      process.stdout.write(`Removed ${count} animals and all categories. Keys are unchanged.\n`);
    });
  });
}
