import { SECOND_MS } from './domain/clock.ts';
import { durationFromText } from './domain/duration.ts';
import { createTrustedProxies } from './http/client-address.ts';
import { limitsAddressProblem } from './limits/open.ts';
import { databaseAddressProblem } from './storage/address.ts';

/** What a setting must be, as the end of a sentence: thrown by everything here. */
export class WrongSetting extends Error {}

/** One of some words. */
export function oneOf<T extends string>(values: readonly T[]): (text: string) => T {
  return (text) => {
    const found = values.find((value) => value === text);
    if (found === undefined) throw new WrongSetting(`must be one of ${values.join(', ')}`);
    return found;
  };
}

/** A whole number within bounds. */
export function wholeNumber(min: number, max: number): (text: string) => number {
  return (text) => {
    const value = /^[0-9]{1,15}$/.test(text) ? Number(text) : Number.NaN;
    if (value >= min && value <= max) return value;
    throw new WrongSetting(`must be a whole number from ${min} to ${max}`);
  };
}

/** A port of TCP; 0 is for any that is free. */
export const port = wholeNumber(0, 65_535);

/** A length of time, in milliseconds. */
export function duration(text: string): number {
  const milliseconds = durationFromText(text);
  if (milliseconds === undefined) throw new WrongSetting('must be like 30s, 15m, 24h or 90d');
  return milliseconds;
}

/** A length of time between bounds in seconds, in milliseconds. */
export function durationWithin(min: number, max: number): (text: string) => number {
  return (text) => {
    const milliseconds = duration(text);
    if (milliseconds >= min * SECOND_MS && milliseconds <= max * SECOND_MS) return milliseconds;
    throw new WrongSetting(`must be from ${min}s to ${max}s`);
  };
}

/** A base address, or undefined where none is set. */
export function baseUrl(text: string): string | undefined {
  if (text === '') return undefined;
  const url = URL.parse(text);
  const plain = url !== null && `${url.origin}${url.pathname}` === url.href;
  if (plain && /^https?:$/.test(url.protocol) && url.pathname.endsWith('/v1')) return url.href;
  throw new WrongSetting('must be an http or https address that ends in /v1');
}

/** Origins of web pages (RFC 6454), with commas between them; `*` is any. */
export function origins(text: string): readonly string[] {
  const list = text.split(',').filter((item) => item.trim() !== '');
  return list.map((item) => {
    const origin = item.trim();
    if (origin === '*' || URL.parse(origin)?.origin === origin) return origin;
    throw new WrongSetting('must be origins like https://shop.example, with commas between them');
  });
}

/** Addresses and networks, with commas between them. */
export function networks(text: string): readonly string[] {
  const list = text.split(',').flatMap((item) => (item.trim() === '' ? [] : [item.trim()]));
  try {
    createTrustedProxies(list);
  } catch (error) {
    if (error instanceof RangeError) throw new WrongSetting(`is wrong: ${error.message}`);
    throw error;
  }
  return list;
}

/** A number of seconds within bounds, given in milliseconds. */
export function seconds(min: number, max: number): (text: string) => number {
  const read = wholeNumber(min, max);
  return (text) => read(text) * SECOND_MS;
}

/** The address of a database. */
export function databaseAddress(text: string): string {
  const problem = databaseAddressProblem(text);
  if (problem !== undefined) throw new WrongSetting(problem);
  return text;
}

/** The address of the engine that counts requests. */
export function limitsAddress(text: string): string {
  const problem = limitsAddressProblem(text);
  if (problem !== undefined) throw new WrongSetting(problem);
  return text;
}

/** The port of the metrics. */
export interface OperationsPort {
  /** Undefined where there is to be none. */
  readonly number: number | undefined;
  /** Whether somebody asked for it: then it must be free. */
  readonly asked: boolean;
}

const OPERATIONS_PORT = 9_464;
const NO_PORT = 'off';

/** A port for the metrics, or none. */
export function operationsPort(text: string): OperationsPort {
  if (text === '') return { number: OPERATIONS_PORT, asked: false };
  if (text === NO_PORT) return { number: undefined, asked: true };
  try {
    return { number: port(text), asked: true };
  } catch (error) {
    if (!(error instanceof WrongSetting)) throw error;
    throw new WrongSetting(`${error.message}, or ${NO_PORT}`);
  }
}

/** Where the interface and the metrics are to be served. */
interface Ports {
  readonly host: string;
  readonly port: number;
  readonly opsHost: string;
  readonly opsPort: OperationsPort;
}

const EVERY_ADDRESS: readonly (string | undefined)[] = ['0.0.0.0', '::'];

/** Whether the interface and the metrics would need the same port of the same address. */
export function sharePort({ host, port, opsHost, opsPort }: Partial<Ports>): boolean {
  if (port === undefined || port === 0 || port !== opsPort?.number) return false;
  return host === opsHost || EVERY_ADDRESS.includes(host) || EVERY_ADDRESS.includes(opsHost);
}

/** Says that both ports were set to the same. The one of the metrics that nobody set gives way. */
export function portProblems(ports: Partial<Ports>): string[] {
  if (ports.opsPort?.asked !== true || !sharePort(ports)) return [];
  return [`--port and --ops-port are both ${ports.port}: each needs a port of its own.`];
}

/** A part of a whole, from 0 to 1. */
export function share(text: string): number {
  const value = /^(?:0|1|0?\.[0-9]{1,9}|1\.0{1,9})$/.test(text) ? Number(text) : Number.NaN;
  if (value >= 0) return value;
  throw new WrongSetting('must be a number from 0 to 1, such as 0.1');
}

/** Any text but none. */
export function text(value: string): string {
  if (value === '') throw new WrongSetting('must not be empty');
  return value;
}

/** The password of an address, as it stands there and decoded; empty where there is none. */
export function passwordsIn(address: string): readonly string[] {
  const url = URL.parse(address);
  const found = [url?.password, url?.searchParams.get('password')];
  return found.flatMap((password) => (password ? [password, decoded(password)] : []));
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Any text; undefined where there is none. */
export function optionalText(value: string): string | undefined {
  return value === '' ? undefined : value;
}
