import type { Clock } from '../domain/clock.ts';
import type { Log } from '../telemetry/log.ts';
import { type Certificate, type CertificateFiles, readCertificate } from './certificate.ts';

/** The TLS certificate in use. */
export interface HeldCertificate {
  /** Undefined if none is set. */
  current(): Certificate | undefined;
  /** Reads the files again, and has new connections use them. If that fails, the old one stays. */
  renew(serving: { renew(certificate: Certificate): Promise<void> }): Promise<void>;
}

/** Reads the configured certificate. Throws `UnusableCertificate`. */
export async function holdCertificate(
  files: CertificateFiles,
  clock: Clock,
  log: Pick<Log, 'info' | 'error'>,
): Promise<HeldCertificate> {
  let held = await readCertificate(files, clock.now());
  return {
    current: () => held,
    async renew(serving) {
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
