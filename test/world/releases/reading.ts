import type { Client } from '../../support/client.ts';

/** What the service answers about a shop, by path. */
export type Answers = Readonly<Record<string, unknown>>;

/** Everything that an administrator can read of a shop that does not depend on who asks. */
const PATHS = [
  ...['/categories', '/pets', '/animals?present=any', '/animals?removed=true', '/listings'],
  ...['/listings/facets', '/reports/stays?from=2026-06-01&to=2027-03-01', '/store/orders'],
  ...[
    '/enquiries',
    '/alerts',
    '/shop',
    '/work',
    '/stats',
    '/imports',
    '/keys',
    '/people',
    '/webhooks',
  ],
  ...['/channels', '/events', '/audit'],
];
const PARTS: Readonly<Record<string, readonly string[]>> = {
  '/pets': ['/history', '/stays', '/profile', '/photos'],
  '/keys': ['/usage?per=day&from=2027-01-01T00:00:00Z&to=2027-01-15T00:00:00Z'],
  '/webhooks': ['/deliveries'],
  '/channels': ['/sendings'],
};

/** Reads a shop through the API: each list to its end, and the parts of each record. */
export async function readWhole(client: Client): Promise<Answers> {
  const answers: Record<string, unknown> = {};
  for (const path of PATHS) {
    const answer = await readAll(client, path);
    answers[path] = answer;
    for (const part of PARTS[path] ?? []) {
      for (const { id } of answer as { id: number }[]) {
        answers[`${path}/${id}${part}`] = await readAll(client, `${path}/${id}${part}`);
      }
    }
  }
  return answers;
}

/** Reads a list to its end by its links, or a record. */
async function readAll(client: Client, path: string): Promise<unknown> {
  const items: unknown[] = [];
  for (let next: string | undefined = `/v1${path}`; next !== undefined; ) {
    const { status, text, headers } = await client.get(next);
    if (status !== 200) throw new Error(`${next}: ${status} ${text}`);
    // A key is used by those who read, and each server has a port.
    const here = text.replaceAll(/127\.0\.0\.1:\d{4,}/g, 'HERE');
    const answer: unknown = JSON.parse(here, (name, value) =>
      name === 'lastUsedAt' ? undefined : value,
    );
    if (!Array.isArray(answer)) return answer;
    // The events have a next page for those that come later.
    if (answer.length === 0) break;
    items.push(...answer);
    next = /<(?:https?:\/\/[^/]+)?([^>]+)>; rel="?next/.exec(headers.get('link') ?? '')?.[1];
  }
  return items;
}
