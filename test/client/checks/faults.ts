import { Petstore, PetstoreError } from 'petstore-client';
import type { SeenRequest } from '../scripted-server.ts';
import { type Check, equal, failureOf, type ScriptedStore, scriptedStore } from './check.ts';

type Operation = 'read' | 'add' | 'change';

/** How often each operation is sent when the server answers like this, and how the call ends. */
export interface FaultRow {
  readonly answers: string;
  readonly read: readonly [sent: number, ends: string];
  readonly add: readonly [sent: number, ends: string];
  readonly change: readonly [sent: number, ends: string];
}

const row = (
  answers: string,
  read: FaultRow['read'],
  add: FaultRow['add'],
  change: FaultRow['change'],
): FaultRow => ({ answers, read, add, change });

/** `429:1` is the status 429 with `Retry-After: 1`; the last answer is given for ever. */
export const FAULTS: readonly FaultRow[] = [
  row('429:1,ok', [2, 'ok'], [2, 'ok'], [1, 'rate_limit_minute']),
  row('429:2,429:1,ok', [3, 'ok'], [3, 'ok'], [1, 'rate_limit_minute']),
  ...['429:31', '429-rate_limit_day:3600', '429-api_key_banned:900'].map((answers) => {
    const code = /-(\w+)/.exec(answers)?.[1] ?? 'rate_limit_minute';
    return row(answers, [1, code], [1, code], [1, code]);
  }),
  row('503:1,ok', [2, 'ok'], [2, 'ok'], [1, 'service_unavailable']),
  row('503', [3, 'service_unavailable'], [3, 'service_unavailable'], [1, 'service_unavailable']),
  row('proxy,ok', [2, 'ok'], [2, 'ok'], [1, 'service_unavailable']),
  row('500', [1, 'internal_error'], [1, 'internal_error'], [1, 'internal_error']),
  row('409-idempotency_in_progress,ok', [2, 'ok'], [2, 'ok'], [1, 'idempotency_in_progress']),
  row('409', [1, 'conflict'], [1, 'conflict'], [1, 'conflict']),
  row('cut,ok', [2, 'ok'], [2, 'ok'], [1, 'connection_lost']),
  row('cut', [3, 'connection_lost'], [3, 'connection_lost'], [1, 'connection_lost']),
  row('half,ok', [2, 'ok'], [2, 'ok'], [1, 'connection_lost']),
  row('nothing', [3, 'timeout'], [3, 'timeout'], [1, 'timeout']),
  row('stall', [3, 'timeout'], [3, 'timeout'], [1, 'timeout']),
];

const NEVER_ANSWERED = /^(?:nothing|stall)$/;

/** Runs one cell of the table and returns what was sent and how the call ended. */
export async function runFault(
  { store, seen }: ScriptedStore,
  operation: Operation,
): Promise<{ readonly seen: readonly SeenRequest[]; readonly ends: string }> {
  const calls = {
    read: () => store.pets.list().page(),
    add: () => store.pets.create({ name: 'Willow', categoryId: 3 }),
    change: () => store.pets.update(7, { name: 'Wilma' }),
  };
  const ends = await calls[operation]().then(
    () => 'ok',
    (error: unknown) => (error instanceof PetstoreError ? error.code : String(error)),
  );
  return { seen: await seen(), ends };
}

function expectPatience(answers: string, seen: readonly SeenRequest[]): void {
  const steps = answers.split(',');
  for (const [index, { responded }] of seen.entries()) {
    const again = seen[index + 1];
    const seconds = Number(steps[Math.min(index, steps.length - 1)]?.split(':')[1] ?? 0);
    if (again === undefined) continue;
    const waited = again.arrived - responded;
    equal(waited >= seconds * 1000, true, `after ${seconds} s asked for, ${waited} ms waited`);
  }
}

/** What is sent when the service, or the way to it, fails. */
export const faultChecks: readonly Check[] = [
  ...FAULTS.map(
    (fault): Check => ({
      name: `retries are as they should be when the answers are ${fault.answers}`,
      async run(world) {
        const operations = ['read', 'add', 'change'] as const;
        const run = async (operation: Operation) => {
          // An answer that never comes may take little time; sending and other answers need theirs.
          const timeout = NEVER_ANSWERED.test(fault.answers) ? 500 : 20_000;
          const scripted = scriptedStore(world, fault.answers, { timeout });
          const { seen, ends } = await runFault(scripted, operation);
          equal([seen.length, ends], fault[operation], `${operation}: sent, and its end`);
          expectPatience(fault.answers, seen);
          const keys = new Set(seen.map(({ idempotencyKey }) => idempotencyKey));
          equal(keys.size, 1, 'idempotency keys');
          equal([...keys][0] !== undefined, operation === 'add', 'has a key');
        };
        await Promise.all(operations.map(run));
      },
    }),
  ),
  {
    name: 'two calls have two keys, and a key of the caller is kept',
    async run(world) {
      const { store, seen } = scriptedStore(world, 'ok');
      const pet = { name: 'Willow', categoryId: 3 };
      await store.pets.create(pet);
      await store.pets.create(pet);
      await store.orders.place({ petId: 7 }, { idempotencyKey: 'my-own' });
      const [first, second, third] = (await seen()).map(({ idempotencyKey }) => idempotencyKey);
      equal(first !== second && third === 'my-own', true, 'the keys');
    },
  },
  {
    name: 'the options of the client count: retries, maxWait and deadline',
    async run(world) {
      const sent = async (answers: string, options: object) => {
        const { store, seen } = scriptedStore(world, answers, options);
        const { code } = await failureOf(store.pets.list().page());
        return [(await seen()).length, code];
      };
      equal(await sent('503', { retries: 0 }), [1, 'service_unavailable']);
      equal(await sent('503', { retries: 3 }), [4, 'service_unavailable']);
      equal(await sent('429:1', { maxWait: 900 }), [1, 'rate_limit_minute']);
      equal(await sent('503:25', { deadline: 20_000 }), [1, 'service_unavailable']);
      equal(await sent('nothing', { deadline: 1_500 }), [1, 'timeout']);
    },
  },
  {
    name: 'an error names the host and the cause',
    async run({ closed, scripted }) {
      const refused = new Petstore({ baseUrl: closed, retries: 0 });
      const { code, message } = await failureOf(refused.usage.get());
      const { host } = new URL(closed);
      equal(code, 'connection_lost');
      // A browser does not say why.
      const isBrowser = 'document' in globalThis;
      const reason = isBrowser ? 'Failed to fetch' : 'connection refused';
      equal(message.startsWith(`Could not reach ${host}: ${reason}`), true, message);
      equal(message.includes('PETSTORE_CORS_ORIGINS'), isBrowser, message);
      for (const steps of ['cut', 'half']) {
        const cut = scriptedStore({ scripted }, steps, { retries: 0 });
        const { message: words } = await failureOf(cut.store.usage.get());
        equal(words.includes(new URL(scripted).host), true, words);
      }
    },
  },
  {
    name: 'an error says how long to wait',
    async run(world) {
      const { store } = scriptedStore(world, '429:31');
      const error = await failureOf(store.pets.list().page());
      equal([error.retryAfter, error.status, error.requestId], [31, 429, 'a-request']);
    },
  },
  {
    name: 'a signal ends a call before it is sent, while it is answered, and while it waits',
    async run(world) {
      const before = scriptedStore(world, 'ok');
      const ended = await failureOf(
        before.store.pets.list({}, { signal: AbortSignal.abort() }).page(),
      );
      equal([ended.code, (await before.seen()).length], ['aborted', 0]);
      for (const answers of ['nothing', 'stall', '429:20']) {
        const { store, seen } = scriptedStore(world, answers);
        const ending = new AbortController();
        const failure = failureOf(store.pets.list({}, { signal: ending.signal }).page());
        while ((await seen()).length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
        ending.abort();
        equal((await failure).code, 'aborted', answers);
        equal((await seen()).length, 1, 'sent');
      }
    },
  },
  {
    name: 'a timeout of one call counts for it alone',
    async run(world) {
      const { store, seen } = scriptedStore(world, 'nothing', { retries: 0, timeout: 60_000 });
      const error = await failureOf(store.pets.get(1, { timeout: 500 }));
      equal([error.code, (await seen()).length], ['timeout', 1]);
    },
  },
];
