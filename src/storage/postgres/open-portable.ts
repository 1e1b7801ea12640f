import type { Environment } from '../../domain/deployment.ts';
import { redactPassword } from '../address.ts';
import type { PortableOpening } from '../opening.ts';
import type { PortableDatabase } from '../portable-database.ts';
import type { Connection } from './connection.ts';
import { failureOf } from './faults.ts';
import { createPortablePostgres } from './portable-database.ts';
import { createConnect } from './primary.ts';
import { findDeployment, prepareDatabase } from './schema.ts';

/**
 * Opens a database for a transfer, fenced or not. With `target`, the deployment of a copy, creates or migrates it as
 * needed; nobody else may have it open then. Throws `UnusableDatabase`.
 */
export async function openPortablePostgres(
  url: string,
  opening: PortableOpening,
  target?: Environment,
): Promise<PortableDatabase> {
  const connect = createConnect(url);
  let connection: Connection | undefined;

  async function run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      connection ??= await connect(target === undefined ? 'shared' : 'exclusive');
      return await work(connection);
    } catch (error) {
      throw failureOf(error);
    }
  }

  try {
    const environment = target ?? (await findDeployment(run, url));
    await prepareDatabase(run, url, environment, { ...opening, fenced: true });
    return await run((own) => createPortablePostgres(own, redactPassword(url), environment));
  } catch (error) {
    connection?.end();
    throw error;
  }
}
