/** A transfer that was refused, stopped or failed; the message says what is so now and what to do. */
export class TransferFailure extends Error {}
