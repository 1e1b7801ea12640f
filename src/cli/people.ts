import { Command, Option } from 'commander';
import { keyNameProblem } from '../domain/api-key.ts';
import { systemClock } from '../domain/clock.ts';
import {
  emailProblem,
  invitationAddress,
  issueInvitation,
  type Person,
  personStatus,
  ROLE_NAMES,
} from '../domain/person.ts';
import type { Config } from '../settings/config.ts';
import { byCommand, commandOn, found } from './arguments.ts';
import { CommandFailure } from './explain.ts';
import { minuteText, timeText } from './key-output.ts';
import { print, printPieces, table } from './print.ts';
import { programName } from './program-name.ts';
import { addSettings, onStorage } from './setting-options.ts';

/** `petstore people …` */
export function peopleCommand(): Command {
  return new Command('people')
    .description('add, list, invite and remove people who sign in to the console')
    .addCommand(createCommand())
    .addCommand(listCommand())
    .addCommand(inviteCommand())
    .addCommand(removeCommand());
}

const commandOnPerson = commandOn.bind(undefined, 'person', 'people list');

/** Adds the settings that say where the console is. */
function addAddressSettings(command: Command): Command {
  return addSettings(command, ['port', 'baseUrl', 'stagingBaseUrl']);
}

/** The base address as configured, or that of a server on this machine. */
function baseUrlOf({ environment, baseUrl, stagingBaseUrl, port }: Config): string {
  const configured = environment === 'production' ? baseUrl : stagingBaseUrl;
  return configured ?? `http://127.0.0.1:${port}/v1`;
}

function createCommand(): Command {
  const command = new Command('create')
    .description('add a person and show the invitation, once')
    .requiredOption('--name <NAME>', 'what the person is called')
    .requiredOption('--email <ADDRESS>', 'what the person signs in with')
    .addOption(new Option('--role <ROLE>', 'role').choices(ROLE_NAMES).default('volunteer'))
    .option('--json', 'print JSON');
  onStorage(command, 'create', async ({ people }, config, { name, email, role, json }) => {
    for (const [flag, problem] of [
      ['--name', keyNameProblem(name)],
      ['--email', emailProblem(email)],
    ]) {
      if (problem !== undefined) throw new CommandFailure(`${flag} ${problem}.`);
    }
    const { secret, invitation } = issueInvitation(systemClock.now());
    const person = await people.create({ name, email, role }, byCommand(), invitation);
    await printInvited(person, invitationAddress(baseUrlOf(config), secret), json);
  });
  return addAddressSettings(command);
}

function inviteCommand(): Command {
  const command = commandOnPerson(
    'invite',
    'show a new invitation, once, for a forgotten password; earlier ones end',
  ).option('--json', 'print JSON');
  onStorage(command, 'change', async ({ people }, config, id: bigint, { json }) => {
    const { secret, invitation } = issueInvitation(systemClock.now());
    const person = found('person', await people.invite(id, byCommand(), invitation), id);
    await printInvited(person, invitationAddress(baseUrlOf(config), secret), json);
  });
  return addAddressSettings(command);
}

function listCommand(): Command {
  const command = new Command('list').description('list all people').option('--json', 'print JSON');
  return onStorage(command, 'read', async ({ people }, _config, { json }) => {
    const all: Person[] = [];
    for (let more = true; more; ) {
      const page = await people.page({ afterId: all.at(-1)?.id, limit: 100 });
      all.push(...page.items);
      ({ more } = page);
    }
    await printPieces([json ? JSON.stringify(all.map(factsOf)) : peopleTable(all), '\n']);
  });
}

function removeCommand(): Command {
  const command = commandOnPerson(
    'remove',
    'end the sessions of a person, who cannot sign in again',
  );
  return onStorage(command, 'change', async ({ people }, _config, id: bigint) => {
    const { name } = found('person', await people.remove(id, byCommand(), () => {}), id);
    await print(
      `Person ${id} (${name}) is removed. Running servers refuse them within a second.\n`,
    );
  });
}

function factsOf(person: Person) {
  const { id, name, email, role, createdAt, lastSignInAt, removedAt, invitedUntil } = person;
  return {
    ...{ id: Number(id), name, email, role, status: personStatus(person) },
    createdAt: timeText(createdAt),
    lastSignInAt: timeText(lastSignInAt),
    removedAt: timeText(removedAt),
    invitedUntil: timeText(invitedUntil),
  };
}

function printInvited(person: Person, invitation: string, isJson: boolean): Promise<void> {
  const { id, name, email, role, invitedUntil } = person;
  if (isJson) return print(`${JSON.stringify({ ...factsOf(person), invitation })}\n`);
  return print(`${invitation}

Send this address to ${name} (person ${id}, ${role}), who chooses a password there and signs in as ${email}.
It works once, until ${timeText(invitedUntil)}, and cannot be shown again.
`);
}

function peopleTable(people: readonly Person[]): string {
  if (people.length === 0) {
    return `There is nobody yet. Add somebody with \`${programName()} people create\`.`;
  }
  const header = ['ID', 'NAME', 'E-MAIL', 'ROLE', 'STATUS', 'LAST SIGN-IN'];
  const rows = people.map((person) => {
    const { id, name, email, role, lastSignInAt } = person;
    return [String(id), name, email, role, personStatus(person), minuteText(lastSignInAt, 'never')];
  });
  return `${table([header, ...rows])}\nTimes are UTC.`;
}
