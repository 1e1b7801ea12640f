/**
 * `bun bench/addition-process.ts TREE DATABASE AUTHORIZATION`: adds animals with the service of a
 * checked-out tree, without a socket. For each message, a number of groups, it adds that many and sends
 * back the processor time of an addition in microseconds. Without AUTHORIZATION it creates the database.
 */
import { join } from 'node:path';
import { ANIMALS, additions, requestOf } from './kinds.ts';
import { CONNECTIONS } from './load.ts';

const [tree = '', database = '', authorization] = process.argv.slice(2);

/** Each tree opens itself with its own bench, which fits its own sources. */
async function load<T>(file: string): Promise<T> {
  return (await import(join(tree, 'bench', file))) as T;
}

const { createDatabase } = await load<typeof import('./animals.ts')>('animals.ts');
const { openSocketless } = await load<typeof import('./socketless.ts')>('socketless.ts');

if (authorization === undefined) await createDatabase(`sqlite:${database}`, ANIMALS);
else await measure(authorization);

async function measure(authorization: string): Promise<void> {
  const { handler } = await openSocketless(database);
  const { method, path, headers, body } = requestOf(additions, authorization);
  const makeRequest = () =>
    new Request(`http://127.0.0.1${path}`, {
      method,
      headers: { host: '127.0.0.1', 'content-length': String(body.length), ...headers },
      body,
    });

  async function add(groups: number): Promise<void> {
    for (let group = 0; group < groups; group++) {
      const responses = await Promise.all(
        Array.from({ length: CONNECTIONS }, () => handler(makeRequest())),
      );
      const refused = responses.find(({ status }) => status !== additions.status);
      if (refused !== undefined) throw new Error(`${refused.status} ${await refused.text()}`);
    }
  }

  process.on('message', async (groups: number) => {
    const before = process.cpuUsage();
    await add(groups);
    const { user, system } = process.cpuUsage(before);
    process.send?.((user + system) / (groups * CONNECTIONS));
  });
  process.send?.(0);
}
