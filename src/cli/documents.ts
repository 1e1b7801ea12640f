import { Command } from 'commander';
import notices from '../../THIRD-PARTY-NOTICES.txt' with { type: 'file' };
import { openApiText } from '../server/server.ts';
import { printPieces } from './print.ts';
import { addSettings, configOf } from './setting-options.ts';

/** `petstore openapi`, which also writes the committed document (`npm run openapi`). */
export function openApiCommand(): Command {
  const command = new Command('openapi')
    .description('print the OpenAPI document')
    .option('--yaml', 'print YAML instead of JSON');
  addSettings(command, ['baseUrl', 'stagingBaseUrl']);
  return command.action(async ({ yaml }: { readonly yaml?: true }) => {
    await printPieces([await openApiText(configOf(command), yaml === true ? 'yaml' : 'json')]);
  });
}

/** `petstore notices` */
export function noticesCommand(): Command {
  return new Command('notices')
    .description('print the licences of the third-party software in this program')
    .action(async () => {
      await printPieces([await Bun.file(notices).text()]);
    });
}
