import { styleText } from 'node:util';
import { Command } from 'commander';
import { examine } from '../doctor/examine.ts';
import { AREAS, type Finding, type Verdict } from '../doctor/finding.ts';
import { systemClock } from '../domain/clock.ts';
import { readSettings } from '../settings/config.ts';
import { SETTING_NAMES } from '../settings/settings.ts';
import { CommandFailure } from './explain.ts';
import { addSettings, flagsOf } from './setting-options.ts';

/** `petstore doctor` */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('check settings, database, disk, clock, limits and ports, and say what to fix')
    .option('--json', 'print the findings as JSON');
  return addSettings(command, SETTING_NAMES).action(async () => {
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

const MARKS: Readonly<Record<Verdict, string>> = { good: 'ok', advice: 'advice', bad: 'WRONG' };
const COLOURS = { good: 'green', advice: 'yellow', bad: 'red' } as const;
const MARK_WIDTH = 8;

function worstOf(findings: readonly Finding[]): Verdict {
  const verdicts = findings.map(({ verdict }) => verdict);
  if (verdicts.includes('bad')) return 'bad';
  return verdicts.includes('advice') ? 'advice' : 'good';
}

/** Formats findings as one JSON value. */
function findingsJson(findings: readonly Finding[]): string {
  return JSON.stringify({ verdict: worstOf(findings), findings });
}

/** Formats findings for people, grouped by area. */
function findingsText(findings: readonly Finding[], colours: boolean): string {
  const paint = (style: 'bold' | 'green' | 'yellow' | 'red', text: string) =>
    colours ? styleText(style, text) : text;

  function textOf({ verdict, found, todo }: Finding): string {
    const mark = paint(COLOURS[verdict], MARKS[verdict].padEnd(MARK_WIDTH));
    const next = todo === undefined ? '' : `\n  ${' '.repeat(MARK_WIDTH)}→ ${todo}`;
    return `  ${mark}${found}${next}`;
  }

  return AREAS.flatMap((area) => {
    const own = findings.filter((finding) => finding.area === area);
    const title = area.charAt(0).toUpperCase() + area.slice(1);
    return own.length === 0 ? [] : [[paint('bold', title), ...own.map(textOf)].join('\n')];
  }).join('\n\n');
}
