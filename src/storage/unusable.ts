/** A database that the service will not start on; the message says why and what to do. */
export class UnusableDatabase extends Error {}
