import { Command } from 'commander';
import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'file' };

/** `petstore notices`: the licences of what the program is made of. */
export function noticesCommand(): Command {
  return new Command('notices')
    .description('print the notices of the work of others that this program contains')
    .action(async () => {
      process.stdout.write(await Bun.file(notices).text());
    });
}
