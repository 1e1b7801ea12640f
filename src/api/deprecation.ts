import type { Clock } from '../domain/clock.ts';
import { Failure } from '../domain/failure.ts';

/** When an operation stops being recommended, when it goes, and what takes its place. */
export interface Deprecation {
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  readonly sunset: number;
  /** Path of the replacement, relative to the base address. */
  readonly successor: string;
  /** Page that tells of it, relative to the root of the server. */
  readonly page: string;
}

/**
 * The fields that tell a client: Deprecation (RFC 9745), Sunset (RFC 8594) and the links to the
 * replacement and to the page about it. `baseUrl` ends in `/v1`; the page stands beside that.
 */
export function deprecationHeaders(
  deprecation: Deprecation,
  baseUrl: string,
): Readonly<Record<'deprecation' | 'sunset' | 'link', string>> {
  const page = new URL(deprecation.page, baseUrl).href;
  return {
    deprecation: `@${deprecation.since / 1_000}`,
    sunset: new Date(deprecation.sunset).toUTCString(),
    link: [
      `<${baseUrl}${deprecation.successor}>; rel="successor-version"`,
      `<${page}>; rel="deprecation"`,
      `<${page}>; rel="sunset"`,
    ].join(', '),
  };
}

/** Throws `operation_removed` from the sunset on. */
export function refuseAfterSunset(deprecation: Deprecation, clock: Clock): void {
  if (clock.now() < deprecation.sunset) return;
  const day = new Date(deprecation.sunset).toISOString().slice(0, 10);
  throw new Failure(
    'operation_removed',
    `This operation was removed on ${day}; use ${deprecation.successor} instead.`,
  );
}
