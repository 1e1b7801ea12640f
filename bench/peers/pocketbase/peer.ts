import { Database } from 'bun:sqlite';
import { join } from 'node:path';
import * as z from 'zod';
import { ANIMALS, type Kind, PAGE } from '../../kinds.ts';
import { adds, translated } from '../../scenarios.ts';
import { atPaths, GO_ON_ONE_CORE, inPeer, type Peer } from '../peer.ts';

const folder = 'pocketbase';
const RECORDS = '/api/collections/pets/records';

const recordSchema = z.object({
  id: z.string().length(15),
  name: z.string(),
  categoryId: z.int(),
  status: z.string(),
});
const pageSchema = z.object({ items: z.array(recordSchema) });

/** PocketBase with its own routes, JSON, tokens, limiter and log, and a collection of our animals. */
export const pocketBase: Peer = {
  name: 'PocketBase',
  folder,
  installed: 'build/server',
  difference:
    'SQLite in Go; own routes, JSON (text ids) and tokens; one limit, by address; log in a database; ' +
    'synchronous = FULL set by us; no ETag, limit fields, history, or group commit',
  async start({ workbench, database }, { name: comparison, scenarios }) {
    const data = join(workbench.folder, `${folder}-${comparison}`);
    const command = [...GO_ON_ONE_CORE, inPeer({ folder }, 'build/server'), '--dir', data];
    const filled = await workbench.run([...command, 'fill', database]);
    if (filled.exitCode !== 0) throw new Error(`\`fill\` failed: ${filled.output}`);
    const server = await workbench.serve(folder, (port) => [
      ...[...command, 'serve', '--http', `127.0.0.1:${port}`],
    ]);
    return {
      ...{ name: pocketBase.name, server, authorization: filled.output.trim() },
      scenarios: translated(scenarios, inItsWords),
      ...(scenarios.some(adds) && { countStored: () => countRecords(data) }),
    };
  },
};

/** Translates a request to its paths and its response to ours. */
export function inItsWords(kind: Kind): Kind {
  if (kind.name === 'list') {
    // Skips its default count of all records, and does not sort by its ids, which are text.
    const path = `${RECORDS}?perPage=${PAGE}&skipTotal=1&sort=@rowid`;
    return {
      ...atPaths(kind, () => path),
      isRight(_, body) {
        const { success, data } = pageSchema.safeParse(body);
        return success && kind.isRight('/v1/pets', data.items.map(asAnimal));
      },
    };
  }
  const idOf = (path: string) => path.slice(path.lastIndexOf('/') + 1).padStart(15, '0');
  const isNew = kind.name === 'create';
  return {
    ...atPaths(kind, (path) => (isNew ? RECORDS : `${RECORDS}/${idOf(path)}`)),
    status: 200,
    isRight(path, body) {
      const { success, data } = recordSchema.safeParse(body);
      // A new record gets a random text as id.
      return success && kind.isRight(path, isNew ? { ...data, id: ANIMALS + 1 } : asAnimal(data));
    },
  };
}

/** Records that it was filled with have our ids, padded with zeros. */
function asAnimal(record: z.infer<typeof recordSchema>): unknown {
  return { ...record, id: Number(record.id) };
}

async function countRecords(folder: string): Promise<number> {
  using database = new Database(join(folder, 'data.db'), { readonly: true });
  return (
    database.query<{ records: number }, []>('SELECT count(*) AS records FROM pets').get()
      ?.records ?? 0
  );
}
