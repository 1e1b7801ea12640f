import { operations } from '../api/resources/operations.ts';
import type { RequestRecord } from '../telemetry/request-line.ts';

/** Changes of these say who could do what, and what the public is told. */
const TAGS: readonly string[] = ['Keys', 'People', 'Webhooks', 'Shop'];
const CHANGES: ReadonlySet<string | undefined> = new Set(
  operations
    .filter(({ method, tag }) => method !== 'GET' && TAGS.includes(tag))
    .map(({ id }) => id),
);

/**
 * Returns whether a request is in every log, however few are: attempts to sign in and what else the console does with
 * sessions, changes of access and of the shop, and the refusal that starts a ban.
 */
export function isSecurityEvent({ operation, path, method, setsBan }: RequestRecord): boolean {
  const isConsole = path.startsWith('"/console/') && method !== 'GET';
  return CHANGES.has(operation) || isConsole || setsBan === true;
}
