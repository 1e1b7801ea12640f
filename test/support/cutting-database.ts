import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts';
import { createPostgresDatabase } from './postgres-engine.ts';
import type { PostgresServer } from './postgres-server.ts';
import type { TestDatabase } from './test-database.ts';

/** A database that the service reaches through a proxy, and the test directly. */
export async function createCuttingDatabase(
  server: PostgresServer,
): Promise<{ readonly database: TestDatabase; readonly proxy: CuttingProxy }> {
  const direct = await createPostgresDatabase(server);
  const proxy = startCuttingProxy(server.port);
  const database = {
    ...direct,
    address: direct.address.replace(`:${server.port}/`, `:${proxy.port}/`),
    async [Symbol.asyncDispose]() {
      proxy[Symbol.dispose]();
      await direct[Symbol.asyncDispose]();
    },
  };
  return { database, proxy };
}
