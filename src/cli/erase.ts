import { Command } from 'commander';
import { systemClock } from '../domain/clock.ts';
import { CommandFailure } from './explain.ts';
import { addDatabaseSettings, withStorage } from './setting-options.ts';

const NOTES = `
The service erases by itself what its settings no longer keep: at most a tenth of each table in a day, and nothing while
its clock is behind the newest record or more than a week ahead of it, as after a long pause. With --now it trusts its
clock again and erases all that is due, by its own settings: within a minute, or when it starts. What is erased is gone.`;

/** `petstore erase` */
export function eraseCommand(): Command {
  const command = new Command('erase')
    .description('let the service erase at once what its settings no longer keep')
    .option('--now', 'the clock of this machine is right: erase by it')
    .addHelpText('after', NOTES);
  return addDatabaseSettings(command).action(async ({ now = false }) => {
    const at = systemClock.now();
    const time = new Date(at).toISOString().slice(0, 19);
    if (!now) throw new CommandFailure(`it is ${time} UTC here; if that is right, add --now.`);
    await withStorage(command, 'change', async ({ retention }) => await retention.ask(at));
    process.stdout.write(
      `It is ${time} UTC: the service erases what is due by that within a minute.\n`,
    );
  });
}
