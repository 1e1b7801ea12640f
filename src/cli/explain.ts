import { redactPassword } from '../storage/address.ts';
import { printable } from './printable.ts';

/** A command that cannot do what it was asked; the message says why and what to do. */
export class CommandFailure extends Error {}

const NO_SUCH_ADDRESS =
  'this machine has no such address; set --host to one that it has, or to 0.0.0.0 for all.';

/** Why an address could not be listened on, by the codes of the system. */
const LISTENING_PROBLEMS: Readonly<Partial<Record<string, string>>> = {
  EADDRINUSE: 'the port is taken by another program; choose another one with --port.',
  EACCES: 'this port needs more rights; choose one above 1023 with --port.',
  EADDRNOTAVAIL: NO_SUCH_ADDRESS,
  EINVAL: NO_SUCH_ADDRESS,
};

/** What a person reads of an error: one message and never a stack. */
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
  return isListening && 'code' in error ? LISTENING_PROBLEMS[String(error.code)] : undefined;
}
