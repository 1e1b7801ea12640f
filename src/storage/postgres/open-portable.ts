import type { Environment } from '../../domain/deployment.ts';
import { redactPassword } from '../address.ts';
import type { Opening } from '../opening.ts';
import type { PortableDatabase } from '../portable-database.ts';
import type { Connection, LockMode } from './connection.ts';
import { failureOf } from './faults.ts';
import { createPortablePostgres } from './portable-database.ts';
import { createConnect } from './primary.ts';
import { findDeployment, prepareDatabase } from './schema.ts';

/** Opens a database for a transfer, fenced or not. Throws `UnusableDatabase`. */
export function openPostgresSource(
  url: string,
  access: 'change' | 'read',
): Promise<PortableDatabase> {
  return open(url, 'shared', undefined, { access });
}

/**
 * Opens a database to write a transferred one into it, and creates or migrates it as needed. Nobody
 * else may have it open. Throws `UnusableDatabase`.
 */
export function openPostgresTarget(
  url: string,
  environment: Environment,
  created?: Opening['created'],
): Promise<PortableDatabase> {
  return open(url, 'exclusive', environment, { created });
}

async function open(
  url: string,
  mode: LockMode,
  asked: Environment | undefined,
  opening: Opening,
): Promise<PortableDatabase> {
  const connect = createConnect(url);
  let connection: Connection | undefined;

  async function run<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    try {
      connection ??= await connect(mode);
      return await work(connection);
    } catch (error) {
      throw failureOf(error);
    }
  }

  try {
    const environment = asked ?? (await findDeployment(run, url));
    await prepareDatabase(run, url, environment, { ...opening, fenced: true });
    return await run((own) => createPortablePostgres(own, redactPassword(url), environment));
  } catch (error) {
    connection?.end();
    throw error;
  }
}
