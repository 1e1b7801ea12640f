/** The trace of its caller that a request belongs to (W3C Trace Context). */
export interface Trace {
  /** 32 lower-case hexadecimal digits. */
  readonly traceId: string;
  /** The id of this request in the trace: 16 such digits. */
  readonly spanId: string;
  /** The value of the `traceresponse` header. */
  readonly response: string;
}

/** Version, trace id, id of the caller's span, flags. A later version than 00 may go on after them. */
const TRACEPARENT =
  /^(?!ff)(?!00.{54})[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-([0-9a-f]{2})(?:-.*)?$/;
/** Says that the trace id is random. Returned, since the id is. */
const RANDOM = 0b10;
const SPAN_BYTES = 8;

/**
 * Reads a `traceparent` header. Returns undefined for one that is malformed: the specification has it
 * ignored. The flags returned never say `sampled`, because the log is all that is recorded.
 */
export function joinTrace(traceparent: string): Trace | undefined {
  const [, traceId, flags] = TRACEPARENT.exec(traceparent) ?? [];
  if (traceId === undefined || flags === undefined) return undefined;
  const spanId = Buffer.from(crypto.getRandomValues(new Uint8Array(SPAN_BYTES))).toString('hex');
  const returned = Number.parseInt(flags, 16) & RANDOM;
  return { traceId, spanId, response: `00-${traceId}-${spanId}-0${returned}` };
}
