import type { RedisClient } from 'bun';

/** A script and its SHA-1 hash, by which the engine identifies it. */
export interface Script {
  readonly text: string;
  readonly sha1: string;
}

/** A call of a script on one hash. */
export interface Call {
  readonly script: Script;
  readonly key: string;
  readonly args: readonly string[];
}

/** Creates a script from its text. */
export function scriptOf(text: string): Script {
  return { text, sha1: new Bun.CryptoHasher('sha1').update(text).digest('hex') };
}

/** Runs a script by its hash. Sends the text if the engine does not know it, as after a restart. */
export async function runScript(client: RedisClient, call: Call): Promise<unknown> {
  const { script, key, args } = call;
  try {
    return await client.send('EVALSHA', [script.sha1, '1', key, ...args]);
  } catch (error) {
    if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
    return client.send('EVAL', [script.text, '1', key, ...args]);
  }
}
