import { examine } from '../../src/doctor/examine.ts';
import type { Area, Finding, Verdict } from '../../src/doctor/finding.ts';
import { readSettings } from '../../src/settings/config.ts';
import { createTestClock } from '../support/clock.ts';
import type { TestSettings } from '../support/start.ts';

/** A time at which this release is in use. */
const NOW = Date.UTC(2027, 0, 15);

/** Returns the findings for a service with these settings, on any port. */
export async function examined(settings: TestSettings, now = NOW): Promise<readonly Finding[]> {
  const variables = { PETSTORE_PORT: '0', PETSTORE_OPS_PORT: 'off', ...settings };
  return await examine({
    settings: readSettings({}, variables),
    variables,
    clock: createTestClock(now),
  });
}

/**
 * The speed of a server depends on the load of the machine, and most of these services make no backups: both are tested
 * separately.
 */
const OF_THE_MOMENT = /^A round trip took|^PETSTORE_BACKUP is not set/;

/** Returns problems and other advice as `verdict area: sentence`. */
export function troubles(findings: readonly Finding[], area?: Area): string[] {
  return findings
    .filter(({ verdict, found }) => verdict !== 'good' && !OF_THE_MOMENT.test(found))
    .filter((finding) => area === undefined || finding.area === area)
    .map(({ verdict, area, found }) => `${verdict} ${area}: ${found}`);
}

/** The findings of an area that say what this pattern says. */
export function findingsLike(findings: readonly Finding[], area: Area, pattern: RegExp) {
  return findings.filter((finding) => finding.area === area && pattern.test(finding.found));
}

/** The only verdict on what a pattern describes; undefined where there is none or more than one. */
export function verdictOn(
  findings: readonly Finding[],
  area: Area,
  pattern: RegExp,
): Verdict | undefined {
  const [found, ...more] = findingsLike(findings, area, pattern);
  return more.length === 0 ? found?.verdict : undefined;
}
