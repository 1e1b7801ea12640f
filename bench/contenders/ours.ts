import { join } from 'node:path';
import * as z from 'zod';
import type { RunningServer, Workbench } from '../workbench.ts';

const MAIN = join(import.meta.dir, '../../src/main.ts');
/** More than a run can send: the limits are counted but never reached. */
const UNREACHED = '999999999';

const issuedSchema = z.object({ key: z.string() });

/** Creates a key as an operator does. Returns its Authorization header. */
export async function createAuthorization(
  workbench: Pick<Workbench, 'run'>,
  database: string,
  main: string = MAIN,
  scopes = 'write',
): Promise<string> {
  const numbers = ['--per-minute', UNREACHED, '--per-day', UNREACHED];
  const command = ['keys', 'create', '--name', 'bench', '--plan', 'enterprise', ...numbers];
  const { output, exitCode } = await workbench.run([
    ...[process.execPath, main, ...command],
    ...['--scopes', scopes, '--json', '--database', database],
  ]);
  if (exitCode !== 0) throw new Error('`keys create` failed');
  return `Bearer ${issuedSchema.parse(JSON.parse(output)).key}`;
}

interface OursOptions {
  readonly name?: string;
  /** The program; by default that of this tree. */
  readonly main?: string;
  /** An executable instead of the program. */
  readonly executable?: string;
  readonly settings?: readonly string[];
}

/** Our service as shipped except for these settings: key check, limits, log file, durable database. */
export function startOurs(
  workbench: Workbench,
  database: string,
  { name = 'ours', main = MAIN, executable, settings = [] }: OursOptions = {},
): Promise<RunningServer> {
  const program = executable === undefined ? [process.execPath, main] : [executable];
  return workbench.serve(name, (port) => [
    ...[...program, 'serve'],
    ...['--port', String(port), '--database', database],
    // Visitors of public pages come from many addresses.
    ...['--trusted-proxies', '127.0.0.1', ...settings],
  ]);
}

/** Starts it and stops it again. Returns the milliseconds to the first 200 for a list. */
export async function timeFirstResponse(
  workbench: Workbench,
  database: string,
  authorization: string,
  options: OursOptions,
): Promise<number> {
  const begin = performance.now();
  const server = await startOurs(workbench, database, options);
  const response = await fetch(`${server.origin}/v1/pets`, { headers: { authorization } });
  if (response.status !== 200) throw new Error(`the first response was ${response.status}`);
  await response.text();
  const time = performance.now() - begin;
  await server.stop();
  return time;
}
