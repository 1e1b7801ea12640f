import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';

/** A certificate with its chain, and the key to it, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** When it ends, in milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/** Where the files lie; undefined where none is set. */
export interface CertificateFiles {
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** The files cannot be used; the message says why. */
export class UnusableCertificate extends Error {}

/**
 * Reads the certificate that is configured, or undefined where none is. Throws
 * `UnusableCertificate` for one that no client would take at `now`.
 */
export async function readCertificate(
  { tlsCert, tlsKey }: CertificateFiles,
  now: number,
): Promise<Certificate | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert === undefined) throw new UnusableCertificate('--tls-key needs --tls-cert beside it.');
  if (tlsKey === undefined) throw new UnusableCertificate('--tls-cert needs --tls-key beside it.');
  const cert = await readText(tlsCert, 'certificate');
  const key = await readText(tlsKey, 'key');
  const first = parseCertificate(cert, tlsCert);
  if (!first.checkPrivateKey(parseKey(key, tlsKey))) {
    throw new UnusableCertificate(`The key in ${tlsKey} is not that of ${tlsCert}.`);
  }
  const [startsAt, endsAt] = [Date.parse(first.validFrom), Date.parse(first.validTo)];
  if (now >= endsAt) {
    throw new UnusableCertificate(`The certificate in ${tlsCert} ended on ${first.validTo}.`);
  }
  if (now < startsAt) {
    throw new UnusableCertificate(`The certificate in ${tlsCert} begins on ${first.validFrom}.`);
  }
  return { cert, key, endsAt };
}

async function readText(path: string, what: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new UnusableCertificate(`The ${what} for TLS cannot be read: ${reason}.`);
  }
}

/** The first certificate of a file: that of the server, before those that vouch for it. */
function parseCertificate(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new UnusableCertificate(`There is no certificate in PEM in ${path}.`);
  }
}

function parseKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new UnusableCertificate(
      `There is no private key in PEM, without a password, in ${path}.`,
    );
  }
}
