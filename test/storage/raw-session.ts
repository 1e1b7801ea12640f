import { SQL } from 'bun';

/** A connection of its own, for statements that a test sends in an order of its choice. */
export interface RawSession extends AsyncDisposable {
  run(text: string): Promise<Record<string, unknown>[]>;
}

/** Opens a session on its own connection. */
export async function openSession(address: string): Promise<RawSession> {
  const client = new SQL(address, { max: 1, bigint: true });
  const session = await client.reserve();
  return {
    run: async (text) => [...(await session.unsafe(text))],
    [Symbol.asyncDispose]: () => client.close({ timeout: 0 }),
  };
}
