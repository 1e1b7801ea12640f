import { describe, expect, test } from 'bun:test';
import * as z from 'zod';
import { createDatabase } from '../../bench/animals.ts';
import type { Contender } from '../../bench/contenders/contender.ts';
import { withOwnCursors } from '../../bench/cursors.ts';
import { ADDED, ANIMALS, additions, type Kind, listsAt, pageAt } from '../../bench/kinds.ts';
import { CONNECTIONS, sendLoad } from '../../bench/load.ts';
import { measure } from '../../bench/measure.ts';
import type { Scenario } from '../../bench/scenarios.ts';
import { sendRequest } from '../../bench/wire.ts';
import type { Workbench } from '../../bench/workbench.ts';
import { startPetstore } from '../support/start.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const NO_WRK =
  Bun.which('wrk') === null && process.env['CI'] !== 'true' ? 'wrk is not installed' : '';
const AUTHORIZATION = 'Bearer a key';
const ADDED_BODY = JSON.stringify(ADDED);

const lists = listsAt(['/v1/pets', '/v1/pets?categoryId=9', '/v1/pets?status=sold']);
/** Three lists and an addition, in this order. */
const small: Scenario = {
  name: 'small',
  title: 'A small load',
  kinds: [lists, additions],
  order: [0, 1, 0, 0],
};

/** A server that responds like ours and keeps each request as a text. */
function startFake() {
  const received: string[] = [];
  let stored = 0;
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const { method, url, headers } = request;
      const path = url.slice(new URL(url).origin.length);
      const sent = [headers.get('content-type') ?? '-', await request.text()].join(' ');
      received.push(`${method} ${path} ${headers.get('authorization')} ${sent}`);
      if (method === 'GET') return Response.json(pageAt(path));
      stored++;
      return Response.json({ id: ANIMALS + stored, ...ADDED }, { status: 201 });
    },
  });
  const { origin } = server.url;
  const running = { pid: 0, cpuMilliseconds: () => 0, clearLog() {}, async stop() {} };
  return {
    received,
    stored: () => stored,
    server: { origin, ...running },
    [Symbol.dispose]: () => void server.stop(true),
  };
}

/** A workbench without cores of its own. */
function workbenchIn(folder: string, run: Workbench['run']): Workbench {
  return {
    folder,
    run,
    use: (belonging) => belonging,
    moveTo() {},
    serve: () => Promise.reject(new Error('there is nothing to start')),
    async [Symbol.asyncDispose]() {},
  };
}

const spawned: Workbench['run'] = async (command, env = {}) => {
  const child = Bun.spawn([...command], { env: { ...process.env, ...env } });
  const output = await child.stdout.text();
  return { output, exitCode: await child.exited, cpuMilliseconds: 1 };
};

describe('the load', () => {
  test.skipIf(NO_WRK !== '')(
    `sends each kind in its share, and its paths in turn ${NO_WRK}`,
    async () => {
      using folder = createTemporaryFolder();
      using fake = startFake();
      const workbench = workbenchIn(folder.path, spawned);
      const { origin } = fake.server;
      const result = await sendLoad(workbench, 'wrk', origin, small, AUTHORIZATION, 1);
      const whole = result.requests - (result.requests % small.order.length);
      const counts = new Map<string, number>();
      for (const text of fake.received.slice(0, whole))
        counts.set(text, (counts.get(text) ?? 0) + 1);
      expect([...counts.keys()].toSorted()).toEqual([
        ...lists.load.paths.map((path) => `GET ${path} ${AUTHORIZATION} - `),
        `POST /v1/pets ${AUTHORIZATION} application/json ${ADDED_BODY}`,
      ]);
      // Three lists at three paths, and an addition. Requests overtake only those in progress.
      for (const count of counts.values()) {
        expect(Math.abs(count - whole / small.order.length)).toBeLessThanOrEqual(CONNECTIONS);
      }
      expect(fake.stored()).toBeGreaterThanOrEqual(result.added.least);
      expect(fake.stored()).toBeLessThanOrEqual(result.added.most);
      expect(result.added.most - result.added.least).toBeLessThanOrEqual(CONNECTIONS + 1);
    },
  );

  test.skipIf(NO_WRK !== '')(`of one request repeats it, with its body ${NO_WRK}`, async () => {
    using folder = createTemporaryFolder();
    using fake = startFake();
    const load = { kinds: [additions], order: [0] };
    const workbench = workbenchIn(folder.path, spawned);
    const { origin } = fake.server;
    const { requests, added } = await sendLoad(workbench, 'wrk', origin, load, AUTHORIZATION, 1);
    const sent = `POST /v1/pets ${AUTHORIZATION} application/json ${ADDED_BODY}`;
    expect([...new Set(fake.received)]).toEqual([sent]);
    expect(added).toEqual({ least: requests, most: requests + CONNECTIONS });
  });
});

describe('a measurement', () => {
  /** Measures the small load, sent by a program that reports these counts instead of sending. */
  async function measured(
    additionsReported: number,
    countStored: (stored: number) => number,
    scenario = small,
    isPeer = false,
  ) {
    using folder = createTemporaryFolder();
    using fake = startFake();
    const ask = async (kind: Kind) => {
      const { method, body } = kind.load;
      const headers = { authorization: AUTHORIZATION, 'content-type': 'application/json' };
      const path = '/v1/pets';
      const { bytes } = await sendRequest(fake.server.origin, { method, path, headers, body });
      return bytes;
    };
    const bytes = 100 * (3 * (await ask(lists)) + (await ask(additions)));
    const counts = { requests: 400, additions: additionsReported, bytes, microseconds: 1_000_000 };
    const rest = { preparation: 0, refused: 0, broken: 0, p50: 1, p99: 1 };
    let sent = 0;
    const workbench = workbenchIn(folder.path, async () => {
      sent += additionsReported;
      return { output: JSON.stringify({ ...counts, ...rest }), exitCode: 0, cpuMilliseconds: 1 };
    });
    const contender: Contender = {
      name: 'a server',
      server: fake.server,
      authorization: AUTHORIZATION,
      isPeer,
      scenarios: [scenario],
      countStored: async () => countStored(fake.stored() + sent),
    };
    const options = { rounds: 1, seconds: 1, only: undefined, peers: undefined };
    const results = await measure({ workbench, wrk: 'wrk', options }, [contender]);
    return results.get('small')?.[0];
  }

  test('accepts a server that stored each addition, but for those in progress', async () => {
    expect(await measured(100, (stored) => stored)).toMatchObject({ failure: undefined });
    let counts = 0;
    const inProgress = (stored: number) => stored - (counts++ % 2 === 0 ? 0 : CONNECTIONS);
    expect(await measured(100, inProgress)).toMatchObject({ failure: undefined });
  });

  test('fails for a server that lost more, or stored more than was sent', async () => {
    let counts = 0;
    const lost = (stored: number) => stored - (counts++ % 2 === 0 ? 0 : CONNECTIONS + 2);
    await expect(measured(100, lost)).rejects.toThrow('a server stored 66 of 67 to 100 additions');
    counts = 0;
    const doubled = (stored: number) => stored + counts++;
    await expect(measured(100, doubled)).rejects.toThrow('stored 101 of 67 to 100 additions');
  });

  test('fails for a wrong response of any kind, and leaves a peer out', async () => {
    const wrongLists: Kind = { ...lists, isRight: (path) => !path.includes('sold') };
    const wrong = { ...small, kinds: [wrongLists, additions] };
    await expect(measured(100, (stored) => stored, wrong)).rejects.toThrow('status=sold: 200');
    const peer = await measured(100, (stored) => stored, wrong, true);
    expect(peer).toMatchObject({ rounds: [], failure: expect.stringContaining('status=sold') });
  });
});

describe('the cursors of a load', () => {
  const paths = ['/v1/pets', '/v1/pets?cursor=500', '/v1/pets?status=available&cursor=600'];

  test('are those of the links, and their pages are checked', async () => {
    await using petstore = await startPetstore();
    await createDatabase(petstore.database.address, 1_000);
    const authorization = `Bearer ${(await petstore.keyWith({})).text}`;
    const origin = new URL(petstore.url).origin;
    const scenario = { ...small, kinds: [listsAt(paths)], order: [0] };
    const [own] = await withOwnCursors([scenario], origin, authorization);
    const [kind] = own?.kinds ?? [];
    expect(kind?.load.paths).toHaveLength(paths.length);
    expect(kind?.load.paths[0]).toBe('/v1/pets');
    for (const [index, path] of (kind?.load.paths ?? []).entries()) {
      const response = await fetch(origin + path, { headers: { authorization } });
      const body = z.array(z.unknown()).parse(await response.json());
      expect(body).toEqual(pageAt(paths[index] ?? ''));
      expect(kind?.isRight(path, body)).toBe(true);
      expect(kind?.isRight(path, body.slice(1))).toBe(false);
    }
    const unreached = { ...scenario, kinds: [listsAt(['/v1/pets?cursor=501'])] };
    await expect(withOwnCursors([unreached], origin, authorization)).rejects.toThrow('no page');
  });
});
