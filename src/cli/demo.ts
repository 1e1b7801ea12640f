import { Command } from 'commander';
import { SERVE_SETTINGS, serveUntilSignal } from './serve.ts';
import { addSettings, configOf } from './setting-options.ts';

/** `petstore demo`: what `npm start` runs. */
export function demoCommand(): Command {
  const command = new Command('demo').description(
    'serve, with sample animals and a first key when the database is empty',
  );
  addSettings(command, SERVE_SETTINGS);
  return command.action(async () => {
    await serveUntilSignal(configOf(command), ({ baseUrl }) => {
      process.stdout.write(`Serving on ${baseUrl}\n`);
    });
  });
}
