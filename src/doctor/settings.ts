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
export function settingFindings(
  { values, problems }: Pick<ReadSettings, 'values' | 'problems'>,
  variables: Readonly<Partial<Record<string, string>>>,
): Finding[] {
  const wrong = problems.map((problem) => bad(problem, 'Correct it, or unset it.'));
  const found = [good(`This is Petstore ${RELEASE_TEXT}.`), ...wrong];
  if (wrong.length === 0) found.push(good('All settings are valid.'));
  for (const { name, nearest } of unknownVariables(variables)) {
    const todo = `If you meant ${nearest}, rename it; \`petstore serve --help\` lists all settings.`;
    found.push(advice(`${name} is not a setting, so it has no effect.`, todo));
  }
  found.push(...publicAddress(values), ...trustedProxies(values), ...limitsOfMany(values));
  const { opsHost, opsPort, auditKeepMs = 0, eventsKeepMs = 0 } = values;
  if (opsHost !== undefined && opsPort?.number !== undefined && !isLoopback(opsHost)) {
    const open = `Anyone who can reach ${opsHost} can read /metrics without a key.`;
    found.push(advice(open, 'Let a firewall admit only the monitoring.'));
  }
  if (auditKeepMs < eventsKeepMs && values.auditKeepMs !== undefined) {
    const [audit, events] = [settings.auditKeepMs.variable, settings.eventsKeepMs.variable];
    const todo =
      'Who changed what is kept as long as events are: set the shorter time for both, or the longer one.';
    found.push(advice(`${audit} is shorter than ${events}, which counts for both.`, todo));
  }
  return found;
}

function publicAddress({ host, environment, ...urls }: Partial<Config>): Finding[] {
  if (host === undefined || environment === undefined || isLoopback(host)) return [];
  const name = environment === 'production' ? 'baseUrl' : 'stagingBaseUrl';
  if (urls[name] !== undefined) return [];
  const found = `The service listens on ${host}, and links in its responses point there.`;
  return [advice(found, `Set ${settings[name].variable} to the address that clients use.`)];
}

function trustedProxies({ trustedProxies, ...others }: Partial<Config>): Finding[] {
  if (trustedProxies === undefined) return [];
  if (trustedProxies.some((network) => network.endsWith('/0'))) {
    const found = 'Every caller can pretend to have any address with X-Forwarded-For.';
    return [advice(found, 'List only the networks of your proxies.')];
  }
  const { host, environment, baseUrl, stagingBaseUrl } = others;
  const url = environment === 'production' ? baseUrl : stagingBaseUrl;
  if (trustedProxies.length > 0 || host === undefined || url === undefined) return [];
  const isOwn = isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
  if (!isLoopback(host) || isOwn) return [];
  return [
    advice(
      `${url} must reach ${host} through a proxy, but no proxy is trusted: all callers without a key share one limit.`,
      `Set ${settings.trustedProxies.variable} to the address of the proxy, and have the proxy set X-Forwarded-For.`,
    ),
  ];
}

function limitsOfMany({ database, limits }: Partial<Config>): Finding[] {
  if (limits !== 'memory:' || database?.startsWith('postgres') !== true) return [];
  const found =
    'Each instance counts only its own requests, so a key gets its full limits on every instance.';
  const todo = `If you run several instances, set ${settings.limits.variable} to a Valkey server.`;
  return [findingsOf('limits').advice(found, todo)];
}

/** Automatic renewal should have happened before this. */
const SOON_MS = 14 * DAY_MS;
/** The bits that must be unset: everything for others, write and execute for the group. */
const TOO_OPEN = 0o027;

/** Checks the certificate for https and its key, if the settings name one. */
export async function certificateFindings(
  { tlsCert, tlsKey }: Partial<Config>,
  clock: Clock,
): Promise<Finding[]> {
  const now = clock.now();
  try {
    const certificate = await readCertificate({ tlsCert, tlsKey }, now);
    if (certificate === undefined) return [];
    const day = new Date(certificate.endsAt).toISOString().slice(0, 10);
    const todo = 'Renew it, then send SIGHUP to the service, so that it loads the new one.';
    const isSoon = certificate.endsAt - now < SOON_MS;
    const ending = unless(isSoon, `The certificate expires on ${day}.`, todo);
    const mode = tlsKey === undefined ? 0 : (await stat(tlsKey)).mode;
    if ((mode & TOO_OPEN) === 0) return [ending];
    const shown = (mode & 0o777).toString(8).padStart(4, '0');
    const open = `The TLS key in ${tlsKey} is accessible to other users of this machine: its mode is ${shown}.`;
    return [ending, advice(open, 'Restrict the file: chmod 640 or 600.')];
  } catch (error) {
    if (!(error instanceof UnusableCertificate)) throw error;
    return [bad(error.message, 'Correct PETSTORE_TLS_CERT and PETSTORE_TLS_KEY, or unset both.')];
  }
}
