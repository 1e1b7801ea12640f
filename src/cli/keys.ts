import { Command, Option } from 'commander';
import { readAllowances } from '../configured-limiter.ts';
import { SCOPES } from '../domain/api-key.ts';
import { DAY_MS, systemClock } from '../domain/clock.ts';
import { issueKey, rotateKey } from '../domain/key-issuance.ts';
import { PLAN_NAMES } from '../domain/plan.ts';
import { DATABASE_SETTINGS } from '../settings.ts';
import { durationArgument, listArgument, numberArgument } from './arguments.ts';
import { keyListing, keysInUse, keyTable } from './key-list.ts';
import { foundKey, keyOfOptions, planOfOptions } from './key-options.ts';
import { keyIdOf, newKeyJson, newKeyText, planText } from './key-output.ts';
import { printPieces } from './print.ts';
import { addDatabaseSettings, addSettings, withStorage } from './setting-options.ts';

/** `petstore keys …` */
export function keysCommand(): Command {
  return new Command('keys')
    .description('make, list, change, rotate, revoke and unban API keys')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(changeCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(unbanCommand());
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** A command for one key, which its first argument names. */
function commandOnKey(name: string, description: string): Command {
  return new Command(name)
    .description(description)
    .argument('<ID>', 'id of the key, as `keys list` shows it', keyIdOf);
}

function createCommand(): Command {
  const command = new Command('create')
    .description('make a key; it is shown once')
    .requiredOption('--name <NAME>', 'whose key it is')
    .addOption(new Option('--plan <PLAN>', 'plan').choices(PLAN_NAMES).makeOptionMandatory())
    .option('--per-minute <N>', 'requests per minute, for enterprise', numberArgument)
    .option('--per-day <N>', 'requests per day, for enterprise', numberArgument)
    .option('--scopes <LIST>', `of ${SCOPES.join(', ')}`, listArgument(SCOPES), ['write'])
    .option('--expires <DURATION>', 'how long it is good, such as 90d', durationArgument)
    .option('--json', 'print one JSON value');
  return addDatabaseSettings(command).action((options) =>
    withStorage(command, 'create', async ({ keys }, { environment }) => {
      const issuer = { keys, environment, now: systemClock.now() };
      const issued = await issueKey(issuer, keyOfOptions(options));
      print(options.json ? newKeyJson(issued) : newKeyText(issued));
    }),
  );
}

function listCommand(): Command {
  const command = new Command('list')
    .description('list all keys')
    .option('--json', 'print one JSON value');
  return addSettings(command, [...DATABASE_SETTINGS, 'limits']).action((options) =>
    withStorage(command, 'read', async (storage, config) => {
      const keys = await storage.keys.list();
      const families = new Set(keys.map(({ familyId }) => familyId));
      const used = await readAllowances(config, storage, [...families]);
      const rows = keysInUse(keys, used, systemClock.now());
      await printPieces([options.json ? keyListing(rows) : keyTable(rows), '\n']);
    }),
  );
}

function rotateCommand(): Command {
  const command = commandOnKey(
    'rotate',
    'make a successor of a key; the old one stays good for the overlap',
  )
    .addOption(
      new Option('--overlap <DURATION>', 'how long the old key stays good')
        .argParser(durationArgument)
        .default(DAY_MS, '24h'),
    )
    .option('--json', 'print one JSON value');
  return addDatabaseSettings(command).action((id: bigint, options) =>
    withStorage(command, 'change', async ({ keys }, { environment }) => {
      const issuer = { keys, environment, now: systemClock.now() };
      const issued = foundKey(await rotateKey(issuer, id, options.overlap), id);
      print(options.json ? newKeyJson(issued) : newKeyText(issued));
    }),
  );
}

function changeCommand(): Command {
  const command = commandOnKey(
    'change',
    'give a key another plan; running servers heed it within a second',
  )
    .addOption(new Option('--plan <PLAN>', 'plan').choices(PLAN_NAMES).makeOptionMandatory())
    .option('--per-minute <N>', 'requests per minute, for enterprise', numberArgument)
    .option('--per-day <N>', 'requests per day, for enterprise', numberArgument);
  return addDatabaseSettings(command).action((id: bigint, options) =>
    withStorage(command, 'change', async ({ keys }) => {
      const plan = planOfOptions(options);
      const key = foundKey(await keys.changePlan(id, plan, systemClock.now()), id);
      print(`Key ${id} (${key.name}) has the plan ${planText(plan)} now.`);
    }),
  );
}

function revokeCommand(): Command {
  const command = commandOnKey('revoke', 'end a key now');
  return addDatabaseSettings(command).action((id: bigint) =>
    withStorage(command, 'change', async ({ keys }) => {
      const key = foundKey(await keys.find(id), id);
      await keys.revoke(id, systemClock.now());
      print(`Key ${id} (${key.name}) is revoked; running servers refuse it within a second.`);
    }),
  );
}

function unbanCommand(): Command {
  const command = commandOnKey('unban', 'lift the ban of a key and forget earlier ones');
  return addDatabaseSettings(command).action((id: bigint) =>
    withStorage(command, 'change', async ({ keys }) => {
      const key = foundKey(await keys.find(id), id);
      await keys.unban(id, systemClock.now());
      print(`Key ${id} (${key.name}) is not banned; running servers heed it within a second.`);
    }),
  );
}
