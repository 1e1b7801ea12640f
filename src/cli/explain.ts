import { hidePasswords } from '../storage/address.ts';
import { printable } from './printable.ts';

/** A command that cannot do what it was asked; the message says why and what to do. */
export class CommandFailure extends Error {}

/** What a person reads of an error: one message and never a stack. */
export function explain(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  if ('code' in error && error.code === 'EADDRINUSE') {
    return 'the port is taken by another program; choose another one with --port.';
  }
  if (
    'code' in error &&
    error.code === 'EACCES' &&
    'syscall' in error &&
    error.syscall === 'listen'
  )
    return 'this port needs more rights; choose one above 1023 with --port.';
  const { cause } = error;
  const message = cause instanceof Error ? `${error.message} (${cause.message})` : error.message;
  return printable(hidePasswords(message));
}
