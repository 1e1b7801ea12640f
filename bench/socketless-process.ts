/**
 * `bun bench/socketless-process.ts TREE DATABASE LOAD AUTHORIZATION`: sends a load to the service of a
 * checked-out tree, without a socket. For each message, a number of groups, it sends that many and
 * returns the processor time of a response in microseconds. Without LOAD it creates the database.
 */
import { join } from 'node:path';
import { ANIMALS, requestOf } from './kinds.ts';
import { CONNECTIONS } from './load.ts';
import { comparisons, kindAt, type Scenario } from './scenarios.ts';

const [tree = '', database = '', name, authorization = ''] = process.argv.slice(2);

/** Each tree opens itself with its own bench, which fits its own sources. */
async function load<T>(file: string): Promise<T> {
  return (await import(join(tree, 'bench', file))) as T;
}

const { createDatabase } = await load<typeof import('./animals.ts')>('animals.ts');
const { openSocketless } = await load<typeof import('./socketless.ts')>('socketless.ts');

if (name === undefined) await createDatabase(`sqlite:${database}`, ANIMALS);
else await measure(scenarioOf(name));

function scenarioOf(name: string): Scenario {
  const found = comparisons.flatMap(({ scenarios }) => scenarios).find((it) => it.name === name);
  if (found === undefined) throw new Error(`there is no load ${name}`);
  return found;
}

async function measure(scenario: Scenario): Promise<void> {
  const { handler } = await openSocketless(database);
  let turn = 0;

  /** Prepared before the clock starts: the runtime makes the request behind a socket. */
  function nextRequest() {
    const kind = kindAt(scenario, turn);
    const { method, path, headers, body } = requestOf(kind, authorization, turn++);
    const length = body === '' ? {} : { 'content-length': String(body.length) };
    const init = { method, headers: { host: '127.0.0.1', ...length, ...headers } };
    const request = new Request(`http://127.0.0.1${path}`, body === '' ? init : { ...init, body });
    return { request, status: kind.status };
  }

  /** Sends a group as connections would, and returns its processor time in microseconds. */
  async function send(): Promise<number> {
    const requests = Array.from({ length: CONNECTIONS }, nextRequest);
    const before = process.cpuUsage();
    const responses = await Promise.all(requests.map(({ request }) => handler(request)));
    const { user, system } = process.cpuUsage(before);
    for (const [index, { status }] of responses.entries()) {
      if (status === requests[index]?.status) continue;
      throw new Error(`${status} ${await responses[index]?.text()}`);
    }
    return user + system;
  }

  process.on('message', async (groups: number) => {
    let microseconds = 0;
    for (let group = 0; group < groups; group++) microseconds += await send();
    process.send?.(microseconds / (groups * CONNECTIONS));
  });
  process.send?.(0);
}
