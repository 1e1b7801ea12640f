/** Prints what ten thousand wrong sign-ins cost: memory, and the time of requests of others. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { generateKey } from '../src/domain/api-key.ts';
import { hashKey, secureRandomBytes } from '../src/domain/secrets.ts';
import { openStorage } from '../src/storage/open.ts';

const ATTEMPTS = 10_000;
const AT_ONCE = 50;
const ADDRESSES = 1_000;
const ACCOUNTS = 200;

const folder = mkdtempSync(join(tmpdir(), 'petstore-sign-ins-'));
const database = `sqlite:${join(folder, 'petstore.db')}`;
const key = generateKey('production', secureRandomBytes);
const storage = await openStorage(database, 'production');
const plan = { plan: 'enterprise', perMinute: 1_000_000, perDay: 1_000_000 } as const;
const facts = { name: 'bench', scopes: ['admin'], createdAt: 0, expiresAt: null } as const;
await storage.keys.create({ hash: hashKey(key), ...plan, ...facts });
await storage.close();

const port = 18_765;
const url = `http://127.0.0.1:${port}`;
const server = Bun.spawn([process.execPath, join(import.meta.dir, '../src/main.ts'), 'serve'], {
  env: {
    ...process.env,
    PETSTORE_DATABASE: database,
    PETSTORE_PORT: String(port),
    PETSTORE_OPS_PORT: 'off',
    PETSTORE_LOG_LEVEL: 'silent',
    PETSTORE_TRUSTED_PROXIES: '127.0.0.1',
  },
});

const megabytes = () => {
  const [, kilobytes = '0'] =
    /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8')) ?? [];
  return Math.round(Number(kilobytes) / 1_024);
};

async function read(): Promise<number> {
  const start = performance.now();
  const headers = { authorization: `Bearer ${key}` };
  await (await fetch(`${url}/v1/pets?limit=1`, { headers })).text();
  return performance.now() - start;
}

/** The times of requests of another client, one after the other, until `isOver`. */
async function readUntil(isOver: () => boolean): Promise<string> {
  const times: number[] = [];
  while (!isOver()) {
    times.push(await read());
    await Bun.sleep(5);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)]?.toFixed(1);
  return `${times.length} reads of others: median ${at(0.5)} ms, p99 ${at(0.99)} ms, most ${times.at(-1)?.toFixed(1)} ms`;
}

try {
  for (;;) {
    const isReady = await fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
    if (isReady) break;
    await Bun.sleep(50);
  }
  const quietEnd = performance.now() + 3_000;
  console.log(`before: ${megabytes()} MB; ${await readUntil(() => performance.now() > quietEnd)}`);
  const statuses = new Map<number, number>();
  let sent = 0;
  let most = 0;
  const start = performance.now();
  const flood = Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let n = sent++; n < ATTEMPTS; n = sent++) {
        const { status } = await fetch(`${url}/console/session`, {
          method: 'POST',
          headers: {
            'content-type': 'application/json',
            origin: url,
            'x-forwarded-for': `10.0.${Math.floor((n % ADDRESSES) / 250)}.${n % 250}`,
          },
          body: JSON.stringify({
            email: `person.${n % ACCOUNTS}@example.org`,
            password: `wrong password ${n}`,
          }),
        });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
        if (n % 100 === 0) most = Math.max(most, megabytes());
      }
    }),
  );
  let isOver = false;
  void flood.then(() => {
    isOver = true;
  });
  const others = await readUntil(() => isOver);
  const seconds = ((performance.now() - start) / 1_000).toFixed(0);
  console.log(`${ATTEMPTS} wrong sign-ins in ${seconds} s: most ${most} MB; ${others}`);
  console.log(
    `answers: ${[...statuses].map(([status, count]) => `${status}: ${count}`).join(', ')}`,
  );
  console.log(`after: ${megabytes()} MB`);
} finally {
  server.kill();
  await server.exited;
  rmSync(folder, { recursive: true });
}
