import { Command } from 'commander';
import { openApiText } from '../server.ts';
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
