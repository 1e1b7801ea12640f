const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/** Returns the client's own request id if it is acceptable, else a new one. */
export function requestIdOf(sent: string | null): string {
  return sent !== null && ACCEPTABLE.test(sent) ? sent : crypto.randomUUID();
}
