import { Command } from 'commander';
import { openSource } from '../storage/transfer/open-portable.ts';
import { liftFence } from '../storage/transfer/unseal.ts';
import { addSettings, configOf } from './setting-options.ts';

const NOTES = `
A database is sealed when its shop has moved, and a copy while its move is not finished. Lift the
seal only of the one database that is to be the shop from now on.`;

/** `petstore unseal` */
export function unsealCommand(): Command {
  const command = new Command('unseal')
    .description('lift the seal that `petstore move` put on a database')
    .addHelpText('after', NOTES);
  return addSettings(command, ['database']).action(async () => {
    const database = await openSource(configOf(command).database);
    try {
      const fence = await liftFence(database);
      const text =
        fence === undefined ? 'was not sealed.' : `is not sealed any more (it was ${fence.role}).`;
      process.stdout.write(`${database.name} ${text}\n`);
    } finally {
      await database.close();
    }
  });
}
