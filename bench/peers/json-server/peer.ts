import { join } from 'node:path';
import * as z from 'zod';
import { animalAt } from '../../animals.ts';
import { ANIMALS, type Kind, PAGE } from '../../kinds.ts';
import { adds, translated } from '../../scenarios.ts';
import { atPaths, inPeer, NODE, type Peer } from '../peer.ts';

const COMMAND = 'node_modules/.bin/json-server';
const folder = 'json-server';

const fileSchema = z.object({ pets: z.array(z.unknown()) });

/** json-server on a JSON file with the same animals. */
export const jsonServer: Peer = {
  name: 'json-server, in memory',
  folder,
  installed: COMMAND,
  difference:
    'one JSON file, read into memory and searched through; rewritten whole for an addition, after ' +
    'the response and without fsync; no key, limits or body check',
  async start({ workbench, authorization }, { name: comparison, scenarios }) {
    const file = join(workbench.folder, `${folder}-${comparison}.json`);
    const pets = Array.from({ length: ANIMALS }, (_, index) => animalAt(index + 1));
    await Bun.write(file, JSON.stringify({ pets }));
    const server = await workbench.serve(folder, (port) => [
      ...[inPeer({ folder }, NODE), inPeer({ folder }, COMMAND)],
      ...['--host', '127.0.0.1', '--port', String(port), file],
    ]);
    return {
      ...{ name: jsonServer.name, server, authorization },
      scenarios: translated(scenarios, atItsPaths),
      ...(scenarios.some(adds) && { countStored: () => countIn(file) }),
    };
  },
};

/** Without a limit it would return all animals. */
function atItsPaths(kind: Kind): Kind {
  const query = kind.name === 'list' ? `?_limit=${PAGE}` : '';
  return atPaths(kind, (path) => path.replace('/v1', '') + query);
}

async function countIn(file: string): Promise<number> {
  return fileSchema.parse(await Bun.file(file).json()).pets.length;
}
