import { Command } from 'commander';
import { readSettings } from '../config.ts';
import { examine } from '../doctor/examine.ts';
import { systemClock } from '../domain/clock.ts';
import { CommandFailure } from './explain.ts';
import { findingsJson, findingsText } from './findings.ts';
import { SERVE_SETTINGS } from './serve.ts';
import { addSettings, flagsOf } from './setting-options.ts';

/** `petstore doctor` */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('check settings, database, disk, clock, limits and ports, and say what to fix')
    .option('--json', 'print the findings as JSON');
  return addSettings(command, SERVE_SETTINGS).action(async () => {
    const findings = await examine({
      settings: readSettings(flagsOf(command), process.env),
      variables: process.env,
      clock: systemClock,
    });
    const asJson = command.opts()['json'] === true;
    const text = asJson
      ? findingsJson(findings)
      : findingsText(findings, process.stdout.isTTY === true);
    process.stdout.write(`${text}\n`);
    const count = findings.filter(({ verdict }) => verdict === 'bad').length;
    if (count === 0) return;
    const problems = count === 1 ? '1 problem keeps' : `${count} problems keep`;
    throw new CommandFailure(`${problems} the service from running.`);
  });
}
