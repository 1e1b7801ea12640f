import { Command } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { CommandFailure } from './explain.ts';
import { addDatabaseSettings, configOf, withStorage } from './setting-options.ts';

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
