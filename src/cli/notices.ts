import { Command } from 'commander';
import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'file' };
import { printPieces } from './print.ts';

/** `petstore notices`: the licences of what the program is made of. */
export function noticesCommand(): Command {
  return new Command('notices')
    .description('print the notices of the work of others that this program contains')
    .action(async () => {
      await printPieces([await Bun.file(notices).text()]);
    });
}
