import { join } from 'node:path';
import { animalAt } from '../../animals.ts';
import { ADDED, ANIMALS, type Kind, pageAt } from '../../kinds.ts';
import { translated } from '../../scenarios.ts';
import { atPaths, inPeer, NODE, type Peer } from '../peer.ts';

const DOCUMENT = join(import.meta.dir, '../../../openapi.json');
const COMMAND = 'node_modules/.bin/prism';
const folder = 'prism';

/** The animal that it returns for every id. */
const ONE = animalAt(10_000);

/** The part of our document that is read and changed. */
interface ApiDocument {
  readonly paths: Record<string, Record<string, ApiOperation>>;
}
interface ApiOperation {
  readonly responses: Record<string, { content?: Record<string, { example?: unknown }> }>;
}

/** Prism as a mock of our document, with the benchmark's responses as examples. */
export const prism: Peer = {
  name: 'Prism mock, constant',
  folder,
  installed: COMMAND,
  difference:
    'no database: gives the examples of the document, one animal for all, and keeps none; requests ' +
    'checked against the document, and that there is a key, but not which; no limits',
  async start({ workbench, authorization }, { scenarios }) {
    const file = join(workbench.folder, `${folder}.json`);
    await Bun.write(file, JSON.stringify(await documentWithResponses()));
    const server = await workbench.serve(folder, (port) => [
      ...[inPeer({ folder }, NODE), inPeer({ folder }, COMMAND)],
      ...['mock', '--host', '127.0.0.1', '--port', String(port), file],
    ]);
    return {
      ...{ name: prism.name, server, authorization },
      scenarios: translated(scenarios, asItResponds),
    };
  },
};

/** It returns the document's examples, so an added animal is only in the response. */
export function asItResponds(kind: Kind): Kind {
  return {
    ...atPaths(kind, (path) => path.replace('/v1', '')),
    isRight: (path, body) => kind.isRight(kind.name === 'get' ? `/v1/pets/${ONE.id}` : path, body),
  };
}

/** Returns our document with example responses for the benchmark, as long as ours. */
export async function documentWithResponses(): Promise<ApiDocument> {
  // The document is our own, and a test validates it.
  const document = (await Bun.file(DOCUMENT).json()) as ApiDocument;
  setExample(document, ['/pets', 'get', '200'], pageAt('/v1/pets'));
  setExample(document, ['/pets/{petId}', 'get', '200'], ONE);
  setExample(document, ['/pets', 'post', '201'], { id: ANIMALS + 1, ...ADDED });
  return document;
}

function setExample(
  { paths }: ApiDocument,
  [path, method, status]: readonly [path: string, method: string, status: string],
  example: unknown,
): void {
  const response = paths[path]?.[method]?.responses[status]?.content?.['application/json'];
  if (response === undefined)
    throw new Error(`openapi.json has no ${status} for ${method} ${path}`);
  response.example = example;
}
