import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import type { TestPetstore } from '../support/start.ts';

/** The protocol of 2026, and that of 2025 with its handshake. */
export type Era = 'modern' | 'legacy';

/** What a tool answered: JSON, or a sentence that says why not. */
export interface Answer {
  readonly isError: boolean;
  readonly text: string;
  /** The JSON; undefined for a refusal. */
  readonly value: ReturnType<typeof JSON.parse>;
}

/** An assistant, with the official client. */
export interface Assistant extends AsyncDisposable {
  readonly client: Client;
  call(name: string, given?: Record<string, unknown>): Promise<Answer>;
}

/** Connects an assistant, with a key if one is given. */
export async function connect(
  petstore: Pick<TestPetstore, 'url'>,
  key?: string,
  era: Era = 'modern',
): Promise<Assistant> {
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const address = new URL(`${petstore.url}/mcp`);
  const transport = new StreamableHTTPClientTransport(address, { requestInit: { headers } });
  const versionNegotiation = { mode: era === 'modern' ? 'auto' : 'legacy' } as const;
  const client = new Client({ name: 'a test', version: '1' }, { versionNegotiation });
  await client.connect(transport);
  return {
    client,
    async call(name, given = {}) {
      const { isError = false, content } = await client.callTool({ name, arguments: given });
      const [block] = content;
      const text = block?.type === 'text' ? block.text : '';
      return { isError, text, value: isError ? undefined : JSON.parse(text) };
    },
    [Symbol.asyncDispose]: () => client.close(),
  };
}

/** The headers of a message of the protocol of 2025. */
export const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
};

/** A message of the protocol of 2025. */
export function message(method: string, params: object = {}): string {
  return JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
}
