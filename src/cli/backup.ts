import { createReadStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Command } from 'commander';
import { missingPhotos } from '../backups/missing-photos.ts';
import type { Config } from '../settings/config.ts';
import { databaseAddress } from '../storage/address.ts';
import type { PortableDatabase } from '../storage/portable-database.ts';
import { openBackupFile } from '../storage/sqlite/backup-file.ts';
import { backUp } from '../storage/transfer/backup.ts';
import { countRows } from '../storage/transfer/copy.ts';
import { openSource, openTarget } from '../storage/transfer/open-portable.ts';
import { restoreDatabase } from '../storage/transfer/restore.ts';
import { CommandFailure } from './explain.ts';
import { databaseFlag, programName } from './program-name.ts';
import { transferText, withProgress } from './progress.ts';
import { addDatabaseSettings, addSettings, configOf, noticesOf } from './setting-options.ts';

const BACKUP_NOTES = `
You can run it while the service runs. The backup holds everything that the service had confirmed
when the backup started. It is one SQLite file with the whole database, including keys (as hashes),
and only you can read it. \`petstore restore\` loads it into SQLite or PostgreSQL.`;

/** `petstore backup` */
export function backupCommand(): Command {
  const command = new Command('backup')
    .description('write the whole database to a file, even while the service runs')
    .argument(
      '<FILE>',
      'file to write; it appears once it is complete and on disk; - for standard output',
    )
    .option('--force', 'replace an existing file')
    .option('--verify', 'write nothing: check that FILE is a whole backup, down to its last byte')
    .addHelpText('after', BACKUP_NOTES);
  return addSettings(command, ['database']).action(
    async (file: string, { force = false, verify = false }) => {
      if (verify) return await verifyBackup(resolve(file));
      const config = configOf(command);
      if (file === STANDARD_OUTPUT) return await streamBackup(config);
      await backup(config, resolve(file), force);
    },
  );
}

const STANDARD_OUTPUT = '-';

/** Says what a backup holds. Throws `UnusableDatabase` if it is not whole. */
async function verifyBackup(path: string): Promise<void> {
  const begin = performance.now();
  const opened = await openBackupFile(path);
  try {
    const counts = await countRows(opened);
    const text = transferText(counts, begin, 'every byte as written');
    process.stdout.write(`${path} is a whole ${opened.environment} backup: ${text}.\n`);
  } finally {
    await opened.close();
  }
}

/** Writes a backup to standard output once it is complete and checked. */
async function streamBackup({ database, photos }: Config): Promise<void> {
  if (process.stdout.isTTY) {
    throw new CommandFailure('a backup is no text for a terminal: name a file, or use a pipe.');
  }
  const folder = mkdtempSync(join(tmpdir(), 'petstore-backup-'));
  const path = join(folder, 'backup');
  const source = await openSource(database, 'read');
  try {
    await withProgress('Backing up', (progress) =>
      backUp(source, { path, force: false, own: undefined }, progress),
    );
    await pipeline(createReadStream(path), process.stdout, { end: false });
    await refuseDamage(source, photos);
  } finally {
    await source.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Says that the database is damaged: its backup has what can be read, and the damage. */
async function refuseDamage(source: PortableDatabase, photos?: string): Promise<void> {
  await source.rollBack();
  const damage = [
    ...(await source.findDamage()),
    ...(photos === undefined ? [] : await missingPhotos(source, photos)),
  ];
  if (damage.length === 0) return;
  throw new CommandFailure(
    `the backup was made, but ${source.name} is damaged: ${damage.join('; ')}. Keep older backups; ` +
      '`petstore doctor` says more.',
  );
}

async function backup({ database, photos }: Config, path: string, force: boolean): Promise<void> {
  const begin = performance.now();
  const address = databaseAddress(database);
  const own = address.engine === 'sqlite' ? address.path : undefined;
  const source = await openSource(database, 'read');
  try {
    const counts = await withProgress('Backing up', (progress) =>
      backUp(source, { path, force, own }, progress),
    );
    const text = transferText(counts, begin, 'read back, compared and checked');
    process.stdout.write(`Backed up ${source.name} to ${path}: ${text}.\n`);
    await refuseDamage(source, photos);
  } finally {
    await source.close();
  }
}

const RESTORE_NOTES = `
The database must be empty, no server may use it, and it is created if it does not exist. The
backup file is not changed. Ids that the database has already used are not used again.`;

/** `petstore restore` */
export function restoreCommand(): Command {
  const command = new Command('restore')
    .description('load a backup into a database, SQLite or PostgreSQL')
    .argument('<FILE>', 'file that `petstore backup` wrote')
    .option('--force', 'replace everything in the database')
    .addHelpText('after', RESTORE_NOTES);
  return addDatabaseSettings(command).action((file: string, { force = false }) =>
    restore(configOf(command), resolve(file), force),
  );
}

async function restore(
  { database, environment }: Config,
  path: string,
  force: boolean,
): Promise<void> {
  const begin = performance.now();
  const backup = await openBackupFile(path, environment);
  try {
    const target = await openTarget(database, environment, noticesOf(database));
    try {
      const counts = await withProgress('Restoring', (progress) =>
        restoreDatabase(backup, target, force, progress),
      );
      const text = transferText(counts, begin, 'read back and compared');
      process.stdout.write(
        `Restored ${path} into ${target.name}: ${text}.\n\n` +
          `${programName()} serve ${databaseFlag(database)}\n`,
      );
    } finally {
      await target.close();
    }
  } finally {
    await backup.close();
  }
}
