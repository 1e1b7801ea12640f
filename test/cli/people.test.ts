import { expect, test } from 'bun:test';
import { forAllTests } from '../support/lifetime.ts';
import { createWorkspace } from './workspace.ts';

const workspace = forAllTests(() => createWorkspace());

const people = (...args: readonly string[]) => workspace.run('people', ...args);
const json = async (...args: readonly string[]) =>
  JSON.parse(await workspace.output('people', ...args, '--json'));
const MARIA = ['--name', 'Maria', '--email', 'Maria@example.org'];

test('people create, list, invite and remove', async () => {
  const created = await people('create', ...MARIA, '--role', 'manager');
  expect(created.exitCode).toBe(0);
  expect(created.stdout).toMatch(
    /^http:\/\/127\.0\.0\.1:8080\/console\/invitation#petstore_invite_\w{43}\n\nSend this address to Maria/,
  );
  const [maria] = await json('list');
  expect(maria).toMatchObject({ name: 'Maria', role: 'manager', status: 'invited' });
  const address = ['--base-url', 'https://shop.example/v1'];
  const again = await json('invite', String(maria.id), ...address);
  expect(again.invitation).toMatch(
    /^https:\/\/shop\.example\/console\/invitation#petstore_invite_/,
  );
  const robin = await json('create', '--name', 'Robin', '--email', 'r@example.org');
  expect(robin).toMatchObject({ role: 'volunteer', status: 'invited' });
  const listed = await workspace.output('people', 'list');
  expect(listed).toContain('Maria@example.org');
  expect(await workspace.output('keys', 'list', '--json')).toBe('[]\n');

  const removed = await workspace.output('people', 'remove', String(maria.id));
  expect(removed).toContain(`Person ${maria.id} (Maria) is removed.`);
  const refused = await people('invite', String(maria.id));
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    `petstore: Person ${maria.id} was removed: add a new person.\n`,
  ]);
  const asKey = await workspace.run('keys', 'revoke', String(robin.id));
  expect(asKey.stderr).toContain(`Key ${robin.id} is a person`);
});

test.each([
  [['create', '--name', 'Maria', '--email', 'maria'], '--email must be an e-mail address'],
  [['create', '--name', ' ', '--email', 'm@example.org'], '--name must not be blank'],
  [['create', '--name', 'Rob', '--email', 'R@example.org'], 'Another person has this e-mail'],
  [['invite', '99'], 'there is no person with the id 99.'],
])('people %p is refused', async (args, problem) => {
  const { exitCode, stdout, stderr } = await people(...args);
  expect([exitCode, stdout]).toEqual([1, '']);
  expect(stderr).toContain(problem);
});
