import { readCertificate, UnusableCertificate } from '../certificate.ts';
import type { Config } from '../config.ts';
import { type Clock, DAY_MS } from '../domain/clock.ts';
import { advice, bad, type Finding, good } from '../domain/finding.ts';

/** Sooner, whoever renews certificates should have done so. */
const SOON_MS = 14 * DAY_MS;

/** Says whether the certificate for https can be used, and until when; nothing where there is none. */
export async function certificateFindings(
  { tlsCert, tlsKey }: Partial<Config>,
  clock: Clock,
): Promise<Finding[]> {
  const now = clock.now();
  try {
    const certificate = await readCertificate({ tlsCert, tlsKey }, now);
    if (certificate === undefined) return [];
    const found = `The certificate ends on ${new Date(certificate.endsAt).toISOString().slice(0, 10)}.`;
    if (certificate.endsAt - now >= SOON_MS) return [good('settings', found)];
    const todo = 'Renew it, and send the service a SIGHUP, so that it reads it again.';
    return [advice('settings', found, todo)];
  } catch (error) {
    if (!(error instanceof UnusableCertificate)) throw error;
    const todo = 'Correct PETSTORE_TLS_CERT and PETSTORE_TLS_KEY, or leave both out.';
    return [bad('settings', error.message, todo)];
  }
}
