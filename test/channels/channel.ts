import type { Client } from '../support/client.ts';
import { eventually } from '../support/eventually.ts';

/** A service that may send files to this machine, and keeps passwords. */
export const CHANNEL_SETTINGS = {
  PETSTORE_WEBHOOK_ALLOW: '127.0.0.0/8',
  PETSTORE_SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
};

/** Sends the file of the channel at a path, and returns the sending once it has ended. */
export async function sent(client: Client, path: string, query = '') {
  const { text } = await client.post(`${path}/send${query}`, undefined);
  const { id } = JSON.parse(text);
  const [newest] = await eventually(
    async () => JSON.parse((await client.get(`${path}/sendings`)).text),
    ([first]) => first.id === id && first.outcome !== 'pending',
  );
  return newest;
}
