import type { Config, ReadSettings } from '../config.ts';
import { advice, type Finding, failed, passed } from '../domain/finding.ts';
import { settings } from '../settings.ts';
import { type UnknownVariable, unknownVariables } from '../unknown-variables.ts';

const EVERYBODY = /\/0$/;

/** Names of hosts that this machine alone can reach. */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127\./.test(host);
}

/** Says what is wrong with the settings, each by itself and all of them together. */
export function settingFindings(
  { values, problems }: ReadSettings,
  variables: Readonly<Partial<Record<string, string>>>,
): Finding[] {
  const wrong = problems.map((problem) =>
    failed('settings', problem, 'Correct it, or leave it out.'),
  );
  const right = wrong.length === 0 ? [passed('settings', 'All settings can be used.')] : [];
  return [...wrong, ...right, ...unknownVariables(variables).map(unknown), ...together(values)];
}

function unknown({ name, nearest }: UnknownVariable): Finding {
  const todo = `If you meant ${nearest}, rename it; \`petstore serve --help\` names all settings.`;
  return advice('settings', `${name} is not a setting, so it has no effect.`, todo);
}

/** What only several settings together show. */
function together(values: Partial<Config>): Finding[] {
  const found = [
    publicAddress(values),
    trustedProxies(values),
    limitsOfMany(values),
    openMetrics(values),
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
    `The service listens on ${host}, and links in its answers lead there.`,
    `Set ${variable} to the address that clients use.`,
  );
}

function trustedProxies({ trustedProxies, ...others }: Partial<Config>): Finding | undefined {
  if (trustedProxies === undefined) return undefined;
  if (trustedProxies.some((network) => EVERYBODY.test(network))) {
    const todo = 'Name the networks of your proxies alone.';
    return advice('settings', 'Everybody may name an address in X-Forwarded-For.', todo);
  }
  const { host, environment, baseUrl, stagingBaseUrl } = others;
  const publicUrl = environment === 'production' ? baseUrl : stagingBaseUrl;
  const isBehindProxy =
    host !== undefined && isLoopback(host) && publicUrl !== undefined && !isOwn(publicUrl);
  if (!isBehindProxy || trustedProxies.length > 0) return undefined;
  return advice(
    'settings',
    `A proxy must stand between ${publicUrl} and ${host}, and none is trusted: callers without a key share one limit.`,
    `Set ${settings.trustedProxies.variable} to its address, and let it set X-Forwarded-For.`,
  );
}

function isOwn(url: string): boolean {
  return isLoopback(new URL(url).hostname.replace(/^\[|\]$/g, ''));
}

function limitsOfMany({ database, limits }: Partial<Config>): Finding | undefined {
  if (limits !== 'memory:' || database?.startsWith('postgres') !== true) return undefined;
  return advice(
    'limits',
    'Each instance counts alone, so a key may use its plan on each of them.',
    `Set ${settings.limits.variable} to a Valkey where there is more than one instance.`,
  );
}

function openMetrics({ opsHost, opsPort }: Partial<Config>): Finding | undefined {
  if (opsHost === undefined || opsPort?.number === undefined || isLoopback(opsHost)) {
    return undefined;
  }
  const todo = 'Let a firewall admit the monitoring alone.';
  return advice('settings', `Whoever reaches ${opsHost} may read /metrics, without a key.`, todo);
}
