/** Enough connections that the kernel leaves no listener out: with two, one time in two billion. */
const CONNECTIONS = 32;
const WAIT_SECONDS = 3;
/** A position that no test reaches, so every request has to wait. */
const NEVER = 1_000_000_000;

/**
 * Returns how many workers connections reach, for a service with `PETSTORE_MAX_WAITING` equal to its number of
 * workers: each then lets one request wait for events, and refuses the others.
 */
export async function countReachedWorkers(url: string, key: string): Promise<number> {
  const target = `${url}/v1/events?after=${NEVER}&wait=${WAIT_SECONDS}`;
  const headers = { authorization: `Bearer ${key}` };
  const responses = await Promise.all(
    Array.from({ length: CONNECTIONS }, () => fetch(target, { headers, keepalive: false })),
  );
  const statuses = responses.map(({ status }) => status);
  const waited = statuses.filter((status) => status === 200).length;
  const refused = statuses.filter((status) => status === 503).length;
  if (waited + refused < CONNECTIONS) throw new Error(`waiting got ${statuses.join(', ')}`);
  return waited;
}
