import { stat } from 'node:fs/promises';
import { type Clock, DAY_MS } from '../domain/clock.ts';
import { readCertificate, UnusableCertificate } from '../server/certificate.ts';
import { type Config, type ReadSettings, unknownVariables } from '../settings/config.ts';
import { RELEASE_TEXT } from '../settings/release.ts';
import { settings } from '../settings/settings.ts';
import { type Finding, findingsOf } from './finding.ts';

const { good, advice, bad, unless } = findingsOf('settings');

/** Only this machine can reach these hosts. */
const isLoopback = (host: string) => host === 'localhost' || host === '::1' || /^127\./.test(host);

/** Checks the settings, one by one and in combination. */
export function* settingFindings(
  { values, problems }: Pick<ReadSettings, 'values' | 'problems'>,
  variables: Readonly<Partial<Record<string, string>>>,
): Generator<Finding> {
  yield good(`This is Petstore ${RELEASE_TEXT}.`);
  for (const problem of problems) {
    yield bad(`${problem}
      → Correct it, or unset it.`);
  }
  if (problems.length === 0) yield good('All settings are valid.');
  for (const { name, nearest } of unknownVariables(variables)) {
    yield advice(`${name} is not a setting, so it has no effect.
      → If you meant ${nearest}, rename it; \`petstore serve --help\` lists all settings.`);
  }
  yield* addressFindings(values);
  const { database, limits, opsHost, opsPort, auditKeepMs, eventsKeepMs = 0 } = values;
  if (limits === 'memory:' && database?.startsWith('postgres')) {
    yield findingsOf('limits').advice(
      `Each instance counts only its own requests, so a key gets its full limits on every instance.
        → If you run several instances, set ${settings.limits.variable} to a Valkey server.`,
    );
  }
  if (opsHost !== undefined && opsPort?.number !== undefined && !isLoopback(opsHost)) {
    yield advice(`Anyone who can reach ${opsHost} can read /metrics without a key.
      → Let a firewall admit only the monitoring.`);
  }
  if (auditKeepMs !== undefined && auditKeepMs < eventsKeepMs) {
    const [audit, events] = [settings.auditKeepMs.variable, settings.eventsKeepMs.variable];
    yield advice(`${audit} is shorter than ${events}, which counts for both.
      → Who changed what is kept as long as events are: set the shorter time for both, or the longer one.`);
  }
}

/** Checks where the service listens, and what leads there. */
function* addressFindings({
  host,
  environment,
  trustedProxies,
  ...urls
}: Partial<Config>): Generator<Finding> {
  const name = environment === 'production' ? 'baseUrl' : 'stagingBaseUrl';
  const url = urls[name];
  if (host !== undefined && environment !== undefined && !isLoopback(host) && url === undefined) {
    yield advice(`The service listens on ${host}, and links in its responses point there.
      → Set ${settings[name].variable} to the address that clients use.`);
  }
  if (trustedProxies?.some((network) => network.endsWith('/0'))) {
    yield advice(`Every caller can pretend to have any address with X-Forwarded-For.
      → List only the networks of your proxies.`);
  }
  if (trustedProxies?.length !== 0 || host === undefined || url === undefined) return;
  if (isLoopback(host) && !isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''))) {
    yield advice(
      `${url} must reach ${host} through a proxy, but no proxy is trusted: all callers without a key share one limit.
        → Set ${settings.trustedProxies.variable} to the address of the proxy, and have the proxy set X-Forwarded-For.`,
    );
  }
}

/** Automatic renewal should have happened before this. */
const SOON_MS = 14 * DAY_MS;
/** The bits that must be unset: everything for others, write and execute for the group. */
const TOO_OPEN = 0o027;

/** Checks the certificate for https and its key, if the settings name one. */
export async function* certificateFindings(
  { tlsCert, tlsKey }: Partial<Config>,
  clock: Clock,
): AsyncGenerator<Finding> {
  const now = clock.now();
  try {
    const certificate = await readCertificate({ tlsCert, tlsKey }, now);
    if (certificate === undefined) return;
    const day = new Date(certificate.endsAt).toISOString().slice(0, 10);
    yield unless(
      certificate.endsAt - now < SOON_MS,
      `The certificate expires on ${day}.
        → Renew it, then send SIGHUP to the service, so that it loads the new one.`,
    );
    const mode = tlsKey === undefined ? 0 : (await stat(tlsKey)).mode;
    if ((mode & TOO_OPEN) === 0) return;
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    yield advice(`The TLS key in ${tlsKey} is accessible to other users of this machine: its mode is ${shown}.
      → Restrict the file: chmod 640 or 600.`);
  } catch (error) {
    if (!(error instanceof UnusableCertificate)) throw error;
    yield bad(`${error.message}
      → Correct PETSTORE_TLS_CERT and PETSTORE_TLS_KEY, or unset both.`);
  }
}
