import { expect, setDefaultTimeout, test } from 'bun:test';
import { hostname } from 'node:os';
import { runPetstore } from '../support/command-line.ts';
import { chosenEngine } from '../support/engines.ts';
import { eventually } from '../support/eventually.ts';
import { startServing } from '../support/serving.ts';

setDefaultTimeout(60_000);

const HOST = chosenEngine().name === 'sqlite' ? hostname() : '127.0.0.1';

test('serve and migrate name the server that uses the database', async () => {
  await using database = await chosenEngine().createDatabase();
  const settings = { PETSTORE_DATABASE: database.address };
  const port = String(20_000 + Math.floor(Math.random() * 10_000));
  await using first = await startServing(settings, '--port', port);
  const named = `process ${first.child.pid} on ${HOST}, port ${port}`;
  await using second = await startServing(settings);
  await eventually(second.output, (text) => text.includes(named));
  expect((await runPetstore(['migrate'], settings)).stderr).toContain(named);
});
