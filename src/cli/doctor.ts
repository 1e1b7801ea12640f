import { styleText } from 'node:util';
import { Command } from 'commander';
import { examine } from '../doctor/examine.ts';
import { AREAS, type Finding, type Verdict } from '../doctor/finding.ts';
import { becomeServiceUser, findUnit, type UnitSettings } from '../doctor/unit.ts';
import { systemClock } from '../domain/clock.ts';
import { isOfService, readSettings } from '../settings/config.ts';
import { SETTING_NAMES } from '../settings/settings.ts';
import { CommandFailure } from './explain.ts';
import { addSettings, envFileOf, flagsOf } from './setting-options.ts';

/** The name of the unit that is shipped. */
const UNIT = 'petstore.service';

/** `petstore doctor` */
export function doctorCommand(): Command {
  const command = new Command('doctor')
    .description('check settings, database, disk, clock, limits and ports, and say what to fix')
    .option('--unit <NAME>', `check the settings of this systemd unit (without any: ${UNIT})`)
    .option('--json', 'print the findings as JSON');
  return addSettings(command, SETTING_NAMES).action(async () => {
    const unit = await unitOf(command);
    // Credentials of buckets and the like are variables of systemd too.
    Object.assign(process.env, unit?.variables);
    // Not before: files of variables and credentials are read by root.
    const asUser = unit === undefined ? [] : [...becomeServiceUser(unit)];
    const found = await examine({
      settings: readSettings({ ...flagsOfUnit(unit), ...givenFlags(command) }, process.env),
      variables: process.env,
      clock: systemClock,
    });
    const findings = [...(unit?.findings ?? []), ...asUser, ...found];
    const asJson = command.opts()['json'] === true;
    const text = asJson
      ? JSON.stringify({ verdict: worstOf(findings), findings })
      : findingsText(findings, process.stdout.isTTY === true);
    process.stdout.write(`${text}\n`);
    const count = findings.filter(({ verdict }) => verdict === 'bad').length;
    if (count === 0) return;
    const problems = count === 1 ? '1 problem keeps' : `${count} problems keep`;
    throw new CommandFailure(`${problems} the service from running.`);
  });
}

/** Returns the flags that are given. */
function givenFlags(command: Command): Readonly<Partial<Record<string, string>>> {
  const given = Object.entries(flagsOf(command)).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given);
}

/**
 * Returns the settings of the unit that a command names or, if it has no setting at all, of the unit that
 * is shipped, where that is installed. Throws `CommandFailure` for a named one that systemd does not know.
 */
async function unitOf(command: Command): Promise<UnitSettings | undefined> {
  const named: string | undefined = command.opts()['unit'];
  if (named !== undefined) {
    const unit = await findUnit(named);
    if (unit === undefined) throw new CommandFailure(`systemd knows no unit ${named}.`);
    return unit;
  }
  const isGiven =
    envFileOf(command) !== undefined ||
    Object.keys(givenFlags(command)).length > 0 ||
    Object.entries(process.env).some(([name, value]) => value !== '' && isOfService(name));
  return isGiven ? undefined : await findUnit(UNIT);
}

/** Returns the flags in the command line of a unit. */
function flagsOfUnit(unit: UnitSettings | undefined): ReturnType<typeof givenFlags> {
  if (unit === undefined) return {};
  const line = addSettings(new Command(), SETTING_NAMES).exitOverride().allowUnknownOption();
  return givenFlags(line.allowExcessArguments().parse([...unit.words], { from: 'user' }));
}

const MARKS: Readonly<Record<Verdict, string>> = { good: 'ok', advice: 'advice', bad: 'WRONG' };
const COLOURS = { good: 'green', advice: 'yellow', bad: 'red' } as const;
const MARK_WIDTH = 8;

function worstOf(findings: readonly Finding[]): Verdict {
  const verdicts = findings.map(({ verdict }) => verdict);
  if (verdicts.includes('bad')) return 'bad';
  return verdicts.includes('advice') ? 'advice' : 'good';
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
