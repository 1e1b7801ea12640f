import { type Clock, SECOND_MS } from '../../domain/clock.ts';
import { Failure } from '../../domain/failure.ts';

/** The deprecation of an operation: when, until when, and what to use instead. */
export interface Deprecation {
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  readonly sunset: number;
  /** Path of the replacement, relative to the base address. */
  readonly successor: string;
  /** Page about the deprecation, relative to the root of the server. */
  readonly page: string;
}

/**
 * Returns the headers Deprecation (RFC 9745), Sunset (RFC 8594) and Link, with the replacement and
 * the page about the deprecation. `baseUrl` ends in `/v1`; the page is relative to its root.
 */
export function deprecationHeaders(
  { since, sunset, successor, page }: Deprecation,
  baseUrl: string,
): Readonly<Record<'deprecation' | 'sunset' | 'link', string>> {
  const about = new URL(page, baseUrl).href;
  return {
    deprecation: `@${since / SECOND_MS}`,
    sunset: new Date(sunset).toUTCString(),
    link: [
      `<${baseUrl}${successor}>; rel="successor-version"`,
      `<${about}>; rel="deprecation"`,
      `<${about}>; rel="sunset"`,
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
