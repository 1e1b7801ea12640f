import { Command, Option } from 'commander';
import { type ApiKey, SCOPES } from '../domain/api-key.ts';
import { systemClock } from '../domain/clock.ts';
import {
  issueKey,
  keyStatus,
  OVERLAP_DEFAULT_MS,
  requireProgram,
  rotateKey,
  withPlan,
} from '../domain/key-lifecycle.ts';
import { PLAN_NAMES } from '../domain/plan.ts';
import type { Storage } from '../domain/storage.ts';
import { WEBHOOKS_OF_KEY_MAX } from '../domain/webhook.ts';
import { readAllowances } from '../server/limiter.ts';
import {
  commandOn,
  durationArgument,
  found,
  keyOfOptions,
  limitArgument,
  listArgument,
  planOfOptions,
} from './arguments.ts';
import { keyListing, keysInUse, keyTable, newKeyJson, newKeyText, planText } from './key-output.ts';
import { print, printPieces } from './print.ts';
import { programName } from './program-name.ts';
import { addSettings, onStorage } from './setting-options.ts';

/** `petstore keys …` */
export function keysCommand(): Command {
  return new Command('keys')
    .description('create, list, change, rotate, revoke and unban API keys')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(changeCommand())
    .addCommand(rotateCommand())
    .addCommand(revokeCommand())
    .addCommand(unbanCommand());
}

const commandOnKey = commandOn.bind(undefined, 'key', 'keys list');

function createCommand(): Command {
  const command = new Command('create')
    .description('create a key and show it, once')
    .requiredOption('--name <NAME>', 'who the key is for')
    .addOption(new Option('--plan <PLAN>', 'plan').choices(PLAN_NAMES).makeOptionMandatory())
    .option('--per-minute <N>', 'requests per minute, only for enterprise', limitArgument)
    .option('--per-day <N>', 'requests per day, only for enterprise', limitArgument)
    .option(
      '--scopes <LIST>',
      `any of ${SCOPES.join(', ')}, separated by commas`,
      listArgument(SCOPES),
      ['write'],
    )
    .option('--expires <DURATION>', 'how long the key works, for example 90d', durationArgument)
    .option('--json', 'print JSON');
  return onStorage(command, 'create', async ({ keys }, { environment }, options) => {
    const issuer = { keys, environment, now: systemClock.now() };
    const issued = await issueKey(issuer, keyOfOptions(options));
    await print(`${options.json ? newKeyJson(issued) : newKeyText(issued)}\n`);
  });
}

function listCommand(): Command {
  const command = new Command('list').description('list all keys').option('--json', 'print JSON');
  onStorage(command, 'read', async (storage, config, options) => {
    const keys = await storage.keys.list();
    const families = new Set(keys.map(({ familyId }) => familyId));
    const used = await readAllowances(config, storage, [...families]);
    const rows = keysInUse(keys, used, systemClock.now());
    await printPieces([options.json ? keyListing(rows) : keyTable(rows), '\n']);
  });
  return addSettings(command, ['limits']);
}

function rotateCommand(): Command {
  const command = commandOnKey('rotate', 'replace a key; the old one keeps working for the overlap')
    .addOption(
      new Option('--overlap <DURATION>', 'how long the old key keeps working')
        .argParser(durationArgument)
        .default(OVERLAP_DEFAULT_MS, '24h'),
    )
    .option('--json', 'print JSON');
  return onStorage(command, 'change', async (storage, { environment }, id: bigint, options) => {
    const issuer = { keys: storage.keys, environment, now: systemClock.now() };
    const issued = found('key', await rotateKey(issuer, id, options.overlap), id);
    await print(`${options.json ? newKeyJson(issued) : newKeyText(issued)}\n`);
    await tellOfWebhooks(storage, issued.key.familyId);
  });
}

/** Says which webhooks of a key its successors keep: a thief may have created some of them. */
async function tellOfWebhooks({ webhooks }: Storage, familyId: bigint): Promise<void> {
  const { items } = await webhooks.page({ afterId: 0n, limit: WEBHOOKS_OF_KEY_MAX }, familyId);
  if (items.length === 0) return;
  const ids = items.map(({ id }) => id).join(', ');
  process.stderr.write(
    `Webhooks of the key still get events (${items.length === 1 ? 'id' : 'ids'} ${ids}). If the key leaked, look at them ` +
      `with \`${programName()} webhooks list\`, and remove those that are not yours.\n`,
  );
}

function changeCommand(): Command {
  const command = commandOnKey(
    'change',
    'change the plan of a key; takes effect on running servers within a second',
  )
    .addOption(new Option('--plan <PLAN>', 'plan').choices(PLAN_NAMES).makeOptionMandatory())
    .option('--per-minute <N>', 'requests per minute, only for enterprise', limitArgument)
    .option('--per-day <N>', 'requests per day, only for enterprise', limitArgument);
  return onStorage(command, 'change', async ({ keys }, _config, id: bigint, options) => {
    const plan = planOfOptions(options);
    const now = systemClock.now();
    const key = found('key', await keys.update(id, now, withPlan(plan, now)), id);
    await print(`Key ${id} (${key.name}) now has the plan ${planText(plan)}.\n`);
  });
}

function revokeCommand(): Command {
  const command = commandOnKey(
    'revoke',
    'end a key at once; takes effect on running servers within a second',
  );
  return onStorage(command, 'change', async (storage, _config, id: bigint) => {
    const { keys } = storage;
    const key = found('key', await keys.find(id), id);
    requireProgram(key);
    await keys.revoke(id, systemClock.now());
    await print(`Key ${id} (${key.name}) is revoked. Running servers refuse it within a second.\n`);
    const now = systemClock.now();
    const isSuccessor = (other: ApiKey) =>
      other.familyId === key.familyId && keyStatus(other, now) === 'active';
    if ((await keys.list()).some(isSuccessor)) await tellOfWebhooks(storage, key.familyId);
  });
}

function unbanCommand(): Command {
  const command = commandOnKey('unban', 'lift the ban of a key and forget its earlier bans');
  return onStorage(command, 'change', async ({ keys }, _config, id: bigint) => {
    const key = found('key', await keys.find(id), id);
    await keys.unban(id, systemClock.now());
    await print(
      `Key ${id} (${key.name}) is not banned. Running servers accept it within a second.\n`,
    );
  });
}
