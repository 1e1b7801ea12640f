import { stat } from 'node:fs/promises';
import { type Clock, DAY_MS } from '../domain/clock.ts';
import { readCertificate, UnusableCertificate } from '../server/certificate.ts';
import {
  type Config,
  type ReadSettings,
  type UnknownVariable,
  unknownVariables,
} from '../settings/config.ts';
import { settings } from '../settings/settings.ts';
import { advice, type Finding, failed, passed } from './finding.ts';

const ANY_ADDRESS = /\/0$/;

/** Only this machine can reach these hosts. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** Checks the settings, one by one and in combination. */
export function settingFindings(
  { values, problems }: Pick<ReadSettings, 'values' | 'problems'>,
  variables: Readonly<Partial<Record<string, string>>>,
): Finding[] {
  const wrong = problems.map((problem) => failed('settings', problem, 'Correct it, or unset it.'));
  const right = wrong.length === 0 ? [passed('settings', 'All settings are valid.')] : [];
  return [...wrong, ...right, ...unknownVariables(variables).map(unknown), ...together(values)];
}

function unknown({ name, nearest }: UnknownVariable): Finding {
  const todo = `If you meant ${nearest}, rename it; \`petstore serve --help\` lists all settings.`;
  return advice('settings', `${name} is not a setting, so it has no effect.`, todo);
}

function together(values: Partial<Config>): Finding[] {
  const found = [
    publicAddress(values),
    trustedProxies(values),
    limitsOfMany(values),
    openMetrics(values),
    shortAudit(values),
  ];
  return found.filter((finding) => finding !== undefined);
}

function publicAddress({ host, environment, ...urls }: Partial<Config>): Finding | undefined {
  if (host === undefined || environment === undefined || isLoopback(host)) return undefined;
  const isProduction = environment === 'production';
  if ((isProduction ? urls.baseUrl : urls.stagingBaseUrl) !== undefined) return undefined;
  const { variable } = isProduction ? settings.baseUrl : settings.stagingBaseUrl;
  return advice(
    'settings',
    `The service listens on ${host}, and links in its responses point there.`,
    `Set ${variable} to the address that clients use.`,
  );
}

function trustedProxies({ trustedProxies, ...others }: Partial<Config>): Finding | undefined {
  if (trustedProxies === undefined) return undefined;
  if (trustedProxies.some((network) => ANY_ADDRESS.test(network))) {
    const todo = 'List only the networks of your proxies.';
    return advice(
      'settings',
      'Every caller can pretend to have any address with X-Forwarded-For.',
      todo,
    );
  }
  const { host, environment, baseUrl, stagingBaseUrl } = others;
  const publicUrl = environment === 'production' ? baseUrl : stagingBaseUrl;
  const isBehindProxy =
    host !== undefined && isLoopback(host) && publicUrl !== undefined && !isOwn(publicUrl);
  if (!isBehindProxy || trustedProxies.length > 0) return undefined;
  return advice(
    'settings',
    `${publicUrl} must reach ${host} through a proxy, but no proxy is trusted: all callers without a key share one limit.`,
    `Set ${settings.trustedProxies.variable} to the address of the proxy, and have the proxy set X-Forwarded-For.`,
  );
}

function isOwn(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

function limitsOfMany({ database, limits }: Partial<Config>): Finding | undefined {
  if (limits !== 'memory:' || database?.startsWith('postgres') !== true) return undefined;
  return advice(
    'limits',
    'Each instance counts only its own requests, so a key gets its full limits on every instance.',
    `If you run several instances, set ${settings.limits.variable} to a Valkey server.`,
  );
}

function shortAudit({ auditKeepMs, eventsKeepMs }: Partial<Config>): Finding | undefined {
  if (auditKeepMs === undefined || eventsKeepMs === undefined) return undefined;
  if (auditKeepMs >= eventsKeepMs) return undefined;
  return advice(
    'settings',
    `${settings.auditKeepMs.variable} is shorter than ${settings.eventsKeepMs.variable}, which counts for both.`,
    'Who changed what is kept as long as events are: set the shorter time for both, or the longer one.',
  );
}

function openMetrics({ opsHost, opsPort }: Partial<Config>): Finding | undefined {
  if (opsHost === undefined || opsPort?.number === undefined || isLoopback(opsHost)) {
    return undefined;
  }
  const todo = 'Let a firewall admit only the monitoring.';
  return advice(
    'settings',
    `Anyone who can reach ${opsHost} can read /metrics without a key.`,
    todo,
  );
}

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
