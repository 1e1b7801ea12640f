import { Command } from 'commander';
import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'file' };
import { printPieces } from './print.ts';

/** `petstore notices` */
export function noticesCommand(): Command {
  return new Command('notices')
    .description('print the licences of the third-party software in this program')
    .action(async () => {
      await printPieces([await Bun.file(notices).text()]);
    });
}
