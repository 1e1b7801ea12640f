const ACCEPTABLE = /^[A-Za-z0-9._-]{1,128}$/;

/** The id under which a request is logged and answered: the client's own, if it is one, or new. */
export function requestIdOf(sent: string | null): string {
  return sent !== null && ACCEPTABLE.test(sent) ? sent : crypto.randomUUID();
}
