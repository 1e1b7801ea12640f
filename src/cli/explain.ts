import { redactPassword } from '../storage/address.ts';
import { printable } from './print.ts';

/** A command that failed. The message says why and what to do. */
export class CommandFailure extends Error {}

const noSuchAddress = (address: string) =>
  `this machine does not have that address, ${address}: set --host to one it has, or to 0.0.0.0 for all.`;

/** By error code of the system. */
const LISTENING_PROBLEMS: Readonly<Partial<Record<string, (address: string) => string>>> = {
  EADDRINUSE: (address) =>
    `another program uses this port, ${address}: choose a different one with --port.`,
  EACCES: (address) =>
    `this port, ${address}, needs more privileges: choose one above 1023 with --port.`,
  EADDRNOTAVAIL: noSuchAddress,
  EINVAL: noSuchAddress,
};

/** Returns an error as one message, without a stack or passwords. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const listening = listeningProblem(error);
  if (listening !== undefined) return listening;
  const { cause } = error;
  const message = cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
  return printable(redactPassword(message));
}

function listeningProblem(error: Error): string | undefined {
  const isListening = 'syscall' in error && error.syscall === 'listen';
  if (!isListening || !('code' in error)) return undefined;
  const address = 'address' in error ? String(error.address) : '';
  return LISTENING_PROBLEMS[String(error.code)]?.(address);
}
