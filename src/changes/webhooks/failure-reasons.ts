import { CallFailed } from './dial.ts';
import { UnresolvedName } from './name-resolver.ts';

/** Why no response arrived. */
export type FailureKind =
  | 'refused_target'
  | 'unresolved_name'
  | 'connection_failed'
  | 'certificate_invalid'
  | 'invalid_response'
  | 'timeout'
  | 'unreadable_secret'
  | 'aborted';

/** A failure in plain words. */
export interface Failed {
  readonly failure: FailureKind;
  /** One sentence that is safe to show: it names no address. */
  readonly reason: string;
}

/** A URL or one of its addresses must not be called. The message ends a sentence. */
export class RefusedTarget extends Error {
  override readonly name = 'RefusedTarget';
}

const BY_CODE: Readonly<Partial<Record<string, string>>> = {
  ECONNREFUSED: 'The receiver refused the connection.',
  ECONNRESET: 'The receiver closed the connection before it responded.',
  EPIPE: 'The receiver closed the connection before it responded.',
  EHOSTUNREACH: 'The receiver cannot be reached.',
  ENETUNREACH: 'The receiver cannot be reached.',
  EADDRNOTAVAIL: 'The receiver cannot be reached.',
  ETIMEDOUT: 'The receiver did not accept the connection in time.',
  HPE_HEADER_OVERFLOW: 'The headers of the response are too large.',
};

/** Certificates, by the codes of OpenSSL; the name is checked by the runtime. */
const BY_CERTIFICATE: Readonly<Partial<Record<string, string>>> = {
  ERR_TLS_CERT_ALTNAME_INVALID: 'The certificate is for another name.',
  CERT_HAS_EXPIRED: 'The certificate has expired.',
  CERT_NOT_YET_VALID: 'The certificate is not valid yet.',
};

const CERTIFICATE =
  /^(?:CERT_|UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|INVALID_|HOSTNAME_|ERROR_IN_CERT)/;

/** Says why an attempt failed. */
export function failureOf(error: unknown): Failed {
  if (error instanceof RefusedTarget) {
    return { failure: 'refused_target', reason: `The URL ${error.message}.` };
  }
  if (error instanceof UnresolvedName) return { failure: 'unresolved_name', reason: error.message };
  if (!(error instanceof CallFailed)) {
    return { failure: 'connection_failed', reason: 'The request could not be sent.' };
  }
  return ofCode(error.code);
}

function ofCode(code: string): Failed {
  if (code.startsWith('HPE_')) {
    const reason = BY_CODE[code] ?? 'The response is not valid HTTP.';
    return { failure: 'invalid_response', reason };
  }
  const certificate = BY_CERTIFICATE[code];
  if (certificate !== undefined || CERTIFICATE.test(code)) {
    const reason = certificate ?? 'The certificate is not signed by a known authority.';
    return { failure: 'certificate_invalid', reason };
  }
  const reason =
    BY_CODE[code] ?? (/SSL|TLS|EPROTO/.test(code) ? 'TLS could not be established.' : undefined);
  return { failure: 'connection_failed', reason: reason ?? 'The connection failed.' };
}
