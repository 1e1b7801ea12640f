/** A well-behaved client that runs beside the fuzz and records its responses. */
export interface Companion {
  /** Milliseconds of each request, in order. */
  readonly latencies: readonly number[];
  /** Problems, one sentence each. */
  readonly problems: readonly string[];
  /** Stops after the current round. */
  stop(): Promise<void>;
}

/** Longer than any correct response may take under this load. */
const LATENCY_MAX_MS = 10_000;
const PAUSE_MS = 5;
const PAGE = 20;

class Wrong extends Error {}

/** Creates, reads, changes, lists and removes its own animals, again and again. */
export function startCompanion(port: number, key: string): Companion {
  const latencies: number[] = [];
  const problems: string[] = [];
  let stopped = false;

  async function ask(method: string, path: string, status: number, body?: object) {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      signal: AbortSignal.timeout(2 * LATENCY_MAX_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    const took = performance.now() - startedAt;
    latencies.push(took);
    const what = `${method} ${path}`;
    if (took > LATENCY_MAX_MS) throw new Wrong(`${what} took ${Math.round(took)} ms`);
    if (response.status !== status) throw new Wrong(`${what}: ${response.status} ${text}`);
    return text;
  }

  function same(text: string, expected: unknown, what: string): void {
    if (text !== JSON.stringify(expected)) throw new Wrong(`${what} returned ${text}`);
  }

  async function round(n: number): Promise<void> {
    const name = `Companion ${n}`;
    const created = await ask('POST', '/v1/pets', 201, { name, categoryId: n });
    const { id } = JSON.parse(created);
    const pet = { id, name, categoryId: n, status: 'available' };
    same(created, pet, 'POST');
    same(await ask('GET', `/v1/pets/${id}`, 200), pet, 'GET');
    same(await ask('GET', `/v1/pets?id=${id}`, 200), [pet], 'GET of a list');
    const sold = { ...pet, status: 'sold' };
    same(await ask('PATCH', `/v1/pets/${id}`, 200, { status: 'sold' }), sold, 'PATCH');
    await ask('DELETE', `/v1/pets/${id}`, 204);
    await ask('GET', `/v1/pets/${id}`, 404);
    const page = JSON.parse(await ask('GET', `/v1/pets?limit=${PAGE}`, 200));
    if (page.length !== PAGE) throw new Wrong(`a page of ${page.length} animals`);
  }

  async function run(): Promise<void> {
    for (let n = 0; !stopped; n++) {
      try {
        await round(n);
      } catch (error) {
        problems.push(`the client beside it: ${error}`);
      }
      await Bun.sleep(PAUSE_MS);
    }
  }

  const running = run();
  return {
    latencies,
    problems,
    async stop() {
      stopped = true;
      await running;
    },
  };
}
