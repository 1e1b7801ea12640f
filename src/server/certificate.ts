import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { Clock } from '../domain/clock.ts';
import type { Log } from '../telemetry/log.ts';

/** A certificate with its chain and private key, as PEM. */
export interface Certificate {
  readonly cert: string;
  readonly key: string;
  /** Expiry, in milliseconds since the Unix epoch. */
  readonly endsAt: number;
}

/** Paths of the files; undefined if not set. */
interface CertificateFiles {
  readonly tlsCert: string | undefined;
  readonly tlsKey: string | undefined;
}

/** The files cannot be used; the message says why. */
export class UnusableCertificate extends Error {}

/**
 * Reads the configured certificate; undefined if none is set. Throws `UnusableCertificate` for one
 * that no client would accept at `now`.
 */
export async function readCertificate(
  { tlsCert = '', tlsKey = '' }: CertificateFiles,
  now: number,
): Promise<Certificate | undefined> {
  if (tlsCert + tlsKey === '') return undefined;
  const [cert, key] = await readBoth(tlsCert, tlsKey);
  const first = parseCertificate(cert, tlsCert);
  if (!first.checkPrivateKey(parseKey(key, tlsKey))) {
    throw new UnusableCertificate(`The key in ${tlsKey} is not that of ${tlsCert}.`);
  }
  const [startsAt, endsAt] = [Date.parse(first.validFrom), Date.parse(first.validTo)];
  if (now >= endsAt) {
    throw new UnusableCertificate(`The certificate in ${tlsCert} ended on ${first.validTo}.`);
  }
  if (now < startsAt) {
    throw new UnusableCertificate(`The certificate in ${tlsCert} starts on ${first.validFrom}.`);
  }
  return { cert, key, endsAt };
}

/** Reads certificate and key. The error names each file that is missing or cannot be read. */
async function readBoth(tlsCert: string, tlsKey: string): Promise<[cert: string, key: string]> {
  const problems: string[] = [];
  const read = async (path: string, what: string, flag: string, variable: string) => {
    try {
      if (path !== '') return await readFile(path, 'utf8');
      problems.push(`TLS needs a ${what} too: set ${flag} or ${variable}.`);
    } catch (error) {
      const [reason] = error instanceof Error ? error.message.split(', ') : [];
      problems.push(`The ${what} for TLS, ${variable}, cannot be read: ${reason}, ${path}.`);
    }
    return '';
  };
  const cert = await read(tlsCert, 'certificate', '--tls-cert', 'PETSTORE_TLS_CERT');
  const key = await read(tlsKey, 'key', '--tls-key', 'PETSTORE_TLS_KEY');
  if (problems.length > 0) throw new UnusableCertificate(problems.join('\n'));
  return [cert, key];
}

/** Parses the first certificate of a file: the server's own, before the rest of its chain. */
function parseCertificate(pem: string, path: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch {
    throw new UnusableCertificate(`There is no PEM certificate in ${path}.`);
  }
}

function parseKey(pem: string, path: string): KeyObject {
  try {
    return createPrivateKey(pem);
  } catch {
    throw new UnusableCertificate(`There is no PEM private key without a password in ${path}.`);
  }
}

/** Reads the configured certificate, and holds the one in use. Throws `UnusableCertificate`. */
export async function holdCertificate(
  files: CertificateFiles,
  clock: Clock,
  log: Pick<Log, 'info' | 'error'>,
) {
  let held = await readCertificate(files, clock.now());
  return {
    /** Undefined if none is set. */
    current: () => held,
    /** Reads the files again, and has new connections use them. If that fails, the old one stays. */
    async renew(serving: { renew(certificate: Certificate): Promise<void> }): Promise<void> {
      try {
        const renewed = await readCertificate(files, clock.now());
        if (renewed === undefined) {
          log.info('SIGHUP changes nothing: no TLS certificate is set');
          return;
        }
        await serving.renew(renewed);
        held = renewed;
        const facts = { file: files.tlsCert, endsAt: new Date(renewed.endsAt) };
        log.info('the TLS certificate was read again; new connections use it', facts);
      } catch (error) {
        log.error('the TLS certificate stays what it was', error);
      }
    },
  };
}
