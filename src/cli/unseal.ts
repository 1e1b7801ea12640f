import { Command } from 'commander';
import { openSource } from '../storage/transfer/open-portable.ts';
import { liftFence } from '../storage/transfer/unseal.ts';
import { addSettings, configOf } from './setting-options.ts';

const NOTES = `
\`petstore move\` fences the old database, and the new one until the move is finished. Unseal only
the one database that you will use from now on.`;

/** `petstore unseal` */
export function unsealCommand(): Command {
  const command = new Command('unseal')
    .description('lift the fence that `petstore move` put on a database')
    .addHelpText('after', NOTES);
  return addSettings(command, ['database']).action(async () => {
    const database = await openSource(configOf(command).database);
    try {
      const fence = await liftFence(database);
      process.stdout.write(
        `${database.name} ${fence === undefined ? 'was not' : 'is no longer'} fenced.\n`,
      );
    } finally {
      await database.close();
    }
  });
}
