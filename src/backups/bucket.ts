import { createReadStream, mkdirSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Environment } from '../domain/deployment.ts';
import { objectsIn, openBucketAddress } from '../photos/bucket.ts';
import { TransferFailure } from '../storage/transfer/copy.ts';
import {
  type BackupPlace,
  canBeBackup,
  inOrder,
  markOf,
  prefixOf,
  type StoredBackup,
  timeOf,
} from './place.ts';
import { requireRoom } from './room.ts';

/**
 * Keeps backups in a bucket. Each is made as a file in `staging`, a folder that this removes, and sent when it is
 * complete; a bucket shows an object only once all of it has arrived.
 */
export function createBucket(
  address: string,
  environment: Environment,
  staging: string,
  database?: string,
): BackupPlace {
  const { client, prefix } = openBucketAddress(address);
  const mark = prefix + markOf(environment);

  async function list(): Promise<readonly StoredBackup[]> {
    const backups: StoredBackup[] = [];
    const objects = objectsIn((options) => client.list(options), prefix + prefixOf(environment));
    for await (const { key, size = 0 } of objects) {
      const name = key.slice(prefix.length);
      const at = timeOf(environment, name);
      if (at !== undefined && canBeBackup(size)) backups.push({ name, at, bytes: size });
    }
    return inOrder(backups);
  }

  async function send(path: string, name: string): Promise<number> {
    const key = prefix + name;
    const sent = Bun.file(path);
    await client.write(key, sent);
    const [here, there] = [createReadStream(path), client.file(key).stream()];
    if ((await digestOf(here)) !== (await digestOf(there))) {
      await client.delete(key);
      throw new TransferFailure(`${address} gave back something else than ${name}.`);
    }
    return sent.size;
  }

  return {
    list: () => reaching(address, list),
    async store(name, bytes, write) {
      mkdirSync(staging, { mode: 0o700 });
      try {
        requireRoom(dirname(staging), bytes, database);
        const path = join(staging, name);
        await write(path);
        return await reaching(address, () => send(path, name));
      } finally {
        this.clean();
      }
    },
    remove: (name) => reaching(address, () => client.delete(prefix + name)),
    clean: () => rmSync(staging, { recursive: true, force: true }),
    mark: `${markOf(environment)} in ${address}`,
    readMark: () =>
      reaching(address, async () => {
        const file = client.file(mark);
        return (await file.exists()) ? await file.text() : undefined;
      }),
    writeMark: (text) => reaching(address, async () => void (await client.write(mark, text))),
  };
}

/** Says which bucket has failed, and how: what the runtime says alone is not enough. */
async function reaching<T>(address: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TransferFailure || !(error instanceof Error)) throw error;
    const code = 'code' in error ? `${String(error.code)}: ` : '';
    throw new TransferFailure(`the bucket ${address} cannot be used: ${code}${error.message}`);
  }
}

async function digestOf(bytes: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = new Bun.CryptoHasher('sha256');
  for await (const chunk of bytes) hash.update(chunk);
  return hash.digest('hex');
}
