import { stat } from 'node:fs/promises';
import { readCertificate, UnusableCertificate } from '../certificate.ts';
import type { Config } from '../config.ts';
import { type Clock, DAY_MS } from '../domain/clock.ts';
import { advice, type Finding, failed, passed } from '../domain/finding.ts';

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
    const todo = 'Renew it, and send the service a SIGHUP, so that it reads it again.';
    const isSoon = certificate.endsAt - now < SOON_MS;
    const ending = isSoon ? advice('settings', found, todo) : passed('settings', found);
    return [ending, ...(await openKeyFindings(tlsKey))];
  } catch (error) {
    if (!(error instanceof UnusableCertificate)) throw error;
    const todo = 'Correct PETSTORE_TLS_CERT and PETSTORE_TLS_KEY, or leave both out.';
    return [failed('settings', error.message, todo)];
  }
}

/** Others may do nothing with the file of the key, and its group may read it. */
const TOO_OPEN = 0o027;

async function openKeyFindings(path: string | undefined): Promise<Finding[]> {
  if (path === undefined) return [];
  const { mode } = await stat(path);
  if ((mode & TOO_OPEN) === 0) return [];
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const found = `The TLS key in ${path} is open to other users of this machine: its mode is ${shown}.`;
  return [advice('settings', found, 'Take their rights away: chmod 640, or 600, on the file.')];
}
