import { stat } from 'node:fs/promises';
import { readCertificate, UnusableCertificate } from '../certificate.ts';
import type { Config } from '../config.ts';
import { type Clock, DAY_MS } from '../domain/clock.ts';
import { advice, type Finding, failed, passed } from '../domain/finding.ts';

/** Automatic renewal should have happened before this. */
const SOON_MS = 14 * DAY_MS;

/** Checks the certificate for https and its key, if the settings name one. */
export async function certificateFindings(
  { tlsCert, tlsKey }: Partial<Config>,
  clock: Clock,
): Promise<Finding[]> {
  const now = clock.now();
  try {
    const certificate = await readCertificate({ tlsCert, tlsKey }, now);
    if (certificate === undefined) return [];
    const found = `The certificate expires on ${new Date(certificate.endsAt).toISOString().slice(0, 10)}.`;
    const todo = 'Renew it, then send SIGHUP to the service, so that it loads the new one.';
    const isSoon = certificate.endsAt - now < SOON_MS;
    const ending = isSoon ? advice('settings', found, todo) : passed('settings', found);
    return [ending, ...(await openKeyFindings(tlsKey))];
  } catch (error) {
    if (!(error instanceof UnusableCertificate)) throw error;
    const todo = 'Correct PETSTORE_TLS_CERT and PETSTORE_TLS_KEY, or unset both.';
    return [failed('settings', error.message, todo)];
  }
}

/** The bits that must be unset: everything for others, write and execute for the group. */
const TOO_OPEN = 0o027;

async function openKeyFindings(path: string | undefined): Promise<Finding[]> {
  if (path === undefined) return [];
  const { mode } = await stat(path);
  if ((mode & TOO_OPEN) === 0) return [];
  const shown = (mode & 0o777).toString(8).padStart(4, '0');
  const found = `The TLS key in ${path} is accessible to other users of this machine: its mode is ${shown}.`;
  return [advice('settings', found, 'Restrict the file: chmod 640 or 600.')];
}
