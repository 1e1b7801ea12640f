import { Command } from 'commander';
import { openApiText } from '../server.ts';
import { printPieces } from './print.ts';
import { addSettings, configOf } from './setting-options.ts';

/** `petstore openapi`: `npm run openapi` keeps the committed document up to date with it. */
export function openApiCommand(): Command {
  const command = new Command('openapi')
    .description('print the OpenAPI document of the interface')
    .option('--yaml', 'as YAML instead of JSON');
  addSettings(command, ['baseUrl', 'stagingBaseUrl']);
  return command.action(async ({ yaml }: { readonly yaml?: true }) => {
    await printPieces([await openApiText(configOf(command), yaml === true ? 'yaml' : 'json')]);
  });
}
