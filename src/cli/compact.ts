import { Command } from 'commander';
import { databaseAddress, redactPassword } from '../storage/address.ts';
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
    const address = databaseAddress(database);
    const notices = noticesOf(database);
    // Both also work while servers use the database.
    const { before, after, hint } =
      address.engine === 'postgres'
        ? await compactPostgres(address.url, environment, notices)
        : await compactSqlite(address.path, environment, force === true, notices);
    const sizes = `${megabytes(before)} before, ${megabytes(after)} now`;
    process.stdout.write(`${redactPassword(database)} is compact: ${sizes}.\n`);
    if (hint !== undefined) process.stdout.write(`${hint}\n`);
  });
}

function megabytes(bytes: number): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}
