import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { endWithParent } from './end-with-parent.ts';
import { freePort } from './free-port.ts';
import { asServiceUser, type PostgresServer } from './postgres-server.ts';
import { createTemporaryFolder, type TemporaryFolder } from './temporary.ts';

/** A PgBouncer in front of a PostgreSQL server, on the loopback. */
export interface PgBouncer extends AsyncDisposable {
  readonly port: number;
  /** The address of a database, through it. */
  addressOf(database: string): string;
}

/** `PETSTORE_TEST_PGBOUNCER` names another program, such as a newer release. */
const PROGRAM =
  process.env['PETSTORE_TEST_PGBOUNCER'] ??
  Bun.which('pgbouncer', { PATH: `${process.env['PATH']}:/usr/sbin` });
const READY_MS = 10_000;

/** Why tests that need it are skipped, or undefined. Never skipped in CI. */
export const NO_PGBOUNCER =
  PROGRAM === null && process.env['CI'] !== 'true' ? 'pgbouncer is not installed' : undefined;

/** Starts it with these settings besides those that it needs, in the form `pool_mode = session`. */
export function startPgBouncer(
  server: PostgresServer,
  ...settings: readonly string[]
): Promise<PgBouncer> {
  return startConfigured((port) =>
    [
      '[databases]',
      `* = host=127.0.0.1 port=${server.port} user=petstore`,
      '[pgbouncer]',
      ...[
        'listen_addr = 127.0.0.1',
        `listen_port = ${port}`,
        'unix_socket_dir =',
        'auth_type = any',
      ],
      ...settings,
    ].join('\n'),
  );
}

/** Starts it with the configuration for a port. Files in the folder can be read by PgBouncer. */
export async function startConfigured(
  configuration: (port: number, folder: TemporaryFolder) => string,
): Promise<PgBouncer> {
  if (PROGRAM === null) throw new Error('install pgbouncer');
  const folder = createTemporaryFolder();
  chmodSync(folder.path, 0o777);
  const port = freePort();
  const file = folder.file('pgbouncer.ini');
  writeFileSync(file, configuration(port, folder));
  const command = endWithParent(asServiceUser([PROGRAM, '-q', file]));
  const child = Bun.spawn(command, { cwd: '/', stdout: 'ignore', stderr: 'ignore' });
  const end = performance.now() + READY_MS;
  while (!(await accepts(port))) {
    if (performance.now() > end) throw new Error('pgbouncer did not come up');
    await Bun.sleep(20);
  }
  return {
    port,
    addressOf: (database) => `postgres://petstore@127.0.0.1:${port}/${database}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await child.exited;
      folder[Symbol.dispose]();
    },
  };
}

function accepts(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const socket = connect(port, '127.0.0.1');
  socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
  return promise.finally(() => socket.destroy());
}
