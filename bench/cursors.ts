import * as z from 'zod';
import type { Kind } from './kinds.ts';
import { type Scenario, translated } from './scenarios.ts';

/** The page size of the walk; the limit may change from page to page. */
const WALK_LIMIT = 100;
/** A list with its filters, and the id of the animal before the page. */
const CURSOR = /^(.*)[?&]cursor=(\d+)$/;

const pageSchema = z.array(z.object({ id: z.int() }));

/**
 * Returns the scenarios with the cursors of our service, found by following its links. In their paths a
 * cursor is the id of the animal before the page, which is what the peers take.
 */
export async function withOwnCursors(
  scenarios: readonly Scenario[],
  origin: string,
  authorization: string,
): Promise<readonly Scenario[]> {
  const kinds = new Map<Kind, Kind>();
  for (const kind of new Set(scenarios.flatMap((scenario) => scenario.kinds))) {
    const cursors = new Map<string, string>();
    const lists = kind.load.paths.flatMap((path) => CURSOR.exec(path)?.[1] ?? []);
    for (const list of new Set(lists)) {
      for (const [path, own] of await walkList(origin, list, authorization)) cursors.set(path, own);
    }
    kinds.set(kind, lists.length === 0 ? kind : withCursors(kind, cursors));
  }
  return translated(scenarios, (kind) => kinds.get(kind) ?? kind);
}

/** Replaces paths. A response is checked by the path that was replaced. */
function withCursors(kind: Kind, cursors: ReadonlyMap<string, string>): Kind {
  const paths = kind.load.paths.map((path) => {
    const own = cursors.get(path);
    if (own === undefined && CURSOR.test(path)) throw new Error(`no page starts like ${path}`);
    return own ?? path;
  });
  const plain = new Map(paths.map((path, index) => [path, kind.load.paths[index] ?? path]));
  return {
    name: kind.name,
    status: kind.status,
    load: { ...kind.load, paths },
    isRight: (path, body) => kind.isRight(plain.get(path) ?? path, body),
  };
}

/** Follows the links of a list to its end. Returns our path of each page by the path with an id. */
async function walkList(
  origin: string,
  list: string,
  authorization: string,
): Promise<ReadonlyMap<string, string>> {
  const separator = list.includes('?') ? '&' : '?';
  const paths = new Map<string, string>();
  let next: string | undefined = `${list}${separator}limit=${WALK_LIMIT}`;
  while (next !== undefined) {
    const response: Response = await fetch(new URL(next, origin), { headers: { authorization } });
    if (response.status !== 200) throw new Error(`${next}: ${await response.text()}`);
    const last = pageSchema.parse(await response.json()).at(-1)?.id;
    next = /<([^>]*)>; *rel="next"/.exec(response.headers.get('link') ?? '')?.[1];
    const cursor = next === undefined ? null : new URL(next).searchParams.get('cursor');
    const page = `${list}${separator}cursor=`;
    if (cursor !== null) paths.set(`${page}${last}`, `${page}${cursor}`);
  }
  return paths;
}
