import { decodeOnce } from './target.ts';

/** A path template (`/pets/{petId}`) and its handlers by method. */
export interface Route<T> {
  readonly template: string;
  readonly byMethod: ReadonlyMap<string, T>;
  /** The methods for `Allow`; GET implies HEAD. */
  readonly allow: readonly string[];
}

interface RouteMatch<T> {
  readonly route: Route<T>;
  /** Values of the template's parameters in order, percent-decoded. */
  readonly parameters: readonly string[];
}

export type RouteTable<T extends Entry> = ReturnType<typeof createRouteTable<T>>;

/** What is served at a path. */
interface Entry {
  readonly method: string;
  readonly path: string;
}

/** A node in the tree of path segments. */
interface Node<T> {
  readonly fixed: Map<string, Node<T>>;
  parameter: Node<T> | undefined;
  route: Route<T> | undefined;
}

const NO_PARAMETERS: readonly string[] = [];

/** Creates a route table from entries with a method and a path template. */
export function createRouteTable<T extends Entry>(served: readonly T[]) {
  const root = createNode<T>();
  const direct = new Map<string, RouteMatch<T>>();
  const segmentsMax = Math.max(0, ...served.map(({ path }) => segmentsOf(path).length));
  for (const [template, entries] of Map.groupBy(served, (entry) => entry.path)) {
    const byMethod = new Map(entries.map((entry) => [entry.method, entry]));
    const allow = entries.flatMap(({ method }) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
    const route = { template, byMethod, allow };
    if (template.includes('{')) plant(root, route);
    else direct.set(template, { route, parameters: NO_PARAMETERS });
  }

  /**
   * Finds the route of a path as it was sent, or undefined. The caller checks the method. The
   * percent-encoding must already have been validated.
   */
  function match(path: string): RouteMatch<T> | undefined {
    const found = direct.get(path);
    if (found !== undefined) return found;
    // A path with more segments than any template cannot match, so the rest is not split.
    const sent = segmentsOf(path, segmentsMax + 1);
    if (sent.length > segmentsMax) return undefined;
    if (!path.includes('%')) return walk(root, sent);
    const segments = sent.map(decodeOnce);
    // An encoded slash belongs to its segment, so joining the segments could match a wrong template.
    const slashed = segments.some((segment) => segment.includes('/'));
    return (slashed ? undefined : direct.get(`/${segments.join('/')}`)) ?? walk(root, segments);
  }

  return { match };
}

/** Splits a path, up to `max` segments. Faster than `split`, which copies the path first. */
function segmentsOf(path: string, max = Number.POSITIVE_INFINITY): string[] {
  const segments: string[] = [];
  for (let slashAt = 0; slashAt >= 0 && segments.length < max; ) {
    const next = path.indexOf('/', slashAt + 1);
    segments.push(next < 0 ? path.slice(slashAt + 1) : path.slice(slashAt + 1, next));
    slashAt = next;
  }
  return segments;
}

function createNode<T>(): Node<T> {
  return { fixed: new Map(), parameter: undefined, route: undefined };
}

function plant<T>(root: Node<T>, route: Route<T>): void {
  let node = root;
  for (const segment of segmentsOf(route.template)) {
    let next = segment.startsWith('{') ? node.parameter : node.fixed.get(segment);
    if (next === undefined) {
      next = createNode<T>();
      if (segment.startsWith('{')) node.parameter = next;
      else node.fixed.set(segment, next);
    }
    node = next;
  }
  node.route = route;
}

function walk<T>(root: Node<T>, segments: readonly string[]): RouteMatch<T> | undefined {
  const parameters: string[] = [];
  let node: Node<T> = root;
  for (const segment of segments) {
    const fixed = node.fixed.get(segment);
    if (fixed !== undefined) {
      node = fixed;
      continue;
    }
    if (node.parameter === undefined || segment === '') return undefined;
    parameters.push(segment);
    node = node.parameter;
  }
  return node.route === undefined ? undefined : { route: node.route, parameters };
}
