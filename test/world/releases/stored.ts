import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { empty } from '../../storage/older-database.ts';
import type { TestDatabase, TestEngine } from '../../support/engines.ts';
import type { Answers } from './reading.ts';

/** The releases that have left their databases here: see make.ts. */
export const RELEASES = readdirSync(import.meta.dir, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

/** What the service needs to read what they store. */
export const SETTINGS = {
  PETSTORE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
};

function stored(release: string, name: string): Uint8Array {
  return Bun.gunzipSync(readFileSync(join(import.meta.dir, release, name)));
}

/** Makes a database as a release left it. */
export async function loadDatabase(engine: TestEngine, release: string): Promise<TestDatabase> {
  const database = await engine.createDatabase();
  const dump = stored(release, `${engine.name}.gz`);
  if (engine.name === 'sqlite') {
    writeFileSync(database.address.replace('sqlite:', ''), dump);
  } else {
    await empty(database);
    await database.sql(Buffer.from(dump).toString());
  }
  return database;
}

/** What the release answered about it. */
export function answersOf(engine: TestEngine, release: string): Answers {
  return JSON.parse(Buffer.from(stored(release, `${engine.name}.json.gz`)).toString());
}
