/** A file that cannot be imported at all. The message says why and what to do. */
export class ImportFailure extends Error {}
