import { chmodSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { endWithParent } from './end-with-parent.ts';
import { freePort } from './free-port.ts';
import { asServiceUser, type PostgresServer } from './postgres-server.ts';
import { programPath } from './program.ts';
import { createTemporaryFolder, type TemporaryFolder } from './temporary.ts';

/** A PgBouncer in front of a PostgreSQL server, on the loopback. */
export interface PgBouncer extends AsyncDisposable {
  readonly port: number;
  /** The address of a database, through it. */
  addressOf(database: string): string;
}

const READY_MS = 10_000;

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
  // Another program, such as a newer release.
  const named = process.env['PETSTORE_TEST_PGBOUNCER'];
  const program = named ?? programPath('pgbouncer', 'pgbouncer');
  const folder = createTemporaryFolder();
  chmodSync(folder.path, 0o777);
  const port = freePort();
  const file = folder.file('pgbouncer.ini');
  writeFileSync(file, configuration(port, folder));
  const command = endWithParent(asServiceUser([program, '-q', file]));
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
