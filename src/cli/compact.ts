import { Command } from 'commander';
import type { Environment } from '../domain/deployment.ts';
import { databaseAddress, redactPassword } from '../storage/address.ts';
import type { OpeningNotices } from '../storage/opening.ts';
import type { Compacted } from '../storage/portable-database.ts';
import { compactPostgres } from '../storage/postgres/compact.ts';
import { compactSqlite } from '../storage/sqlite/compact.ts';
import { addDatabaseSettings, configOf, noticesOf } from './setting-options.ts';

const NOTES = `
A file of SQLite never shrinks by itself: it keeps the space of what was removed for what comes. This
rewrites the file, in about a second for 64 MB, while reads go on and writes wait. With more beside a
server, writes would be refused meanwhile, so the command asks for --force. On PostgreSQL it runs
VACUUM on every table, which autovacuum does too.`;

/** `petstore compact` */
export function compactCommand(): Command {
  const command = new Command('compact')
    .description('give back the space of what was removed')
    .option('--force', 'on SQLite, also beside a server that then refuses writes for some seconds')
    .addHelpText('after', NOTES);
  return addDatabaseSettings(command).action(async ({ force }: { readonly force?: true }) => {
    const { database, environment } = configOf(command);
    const { before, after, hint } = await compact(
      database,
      environment,
      force === true,
      noticesOf(database),
    );
    const sizes = `${megabytes(before)} before, ${megabytes(after)} now`;
    process.stdout.write(`${redactPassword(database)} is compact: ${sizes}.\n`);
    if (hint !== undefined) process.stdout.write(`${hint}\n`);
  });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/**
 * Gives back the space of removed rows, also while servers use the database. Throws `UnusableDatabase`, also
 * where the disk lacks the space for it, or where writes of a server would be refused meanwhile, unless `force`.
 */
function compact(
  address: string,
  environment: Environment,
  force: boolean,
  notices: OpeningNotices = {},
): Promise<Compacted> {
  const database = databaseAddress(address);
  return database.engine === 'postgres'
    ? compactPostgres(database.url, environment, notices)
    : compactSqlite(database.path, environment, force, notices);
}
