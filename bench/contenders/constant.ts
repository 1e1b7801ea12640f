import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireResponse } from '../wire.ts';
import type { RunningServer, Workbench } from '../workbench.ts';

const SERVER = join(import.meta.dir, 'constant-server.ts');
const SINGLE_COMMIT_SERVER = join(import.meta.dir, 'single-commit-server.ts');

/** Headers that the runtime adds. */
const OWN_HEADERS = new Set(['date', 'content-length', 'connection']);

/** The constant response: the arguments of `Response`, as JSON. */
export interface ConstantResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Writes a response to a file for a constant server. Returns the file's name. */
function writeConstant({ folder }: Workbench, response: WireResponse): string {
  const { status, body } = response;
  const headers = response.headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase()));
  const constant: ConstantResponse = { status, headers: Object.fromEntries(headers), body };
  const file = join(folder, 'constant.json');
  writeFileSync(file, JSON.stringify(constant));
  return file;
}

/** A bare handler that returns our response as a constant: the limit of the runtime. */
export function startConstant(
  workbench: Workbench,
  response: WireResponse,
): Promise<RunningServer> {
  const file = writeConstant(workbench, response);
  return workbench.serve('constant', (port) => [process.execPath, SERVER, String(port), file]);
}

/** A bare handler that inserts each animal in its own transaction, as durable as ours. */
export function startSingleCommit(
  workbench: Workbench,
  response: WireResponse,
  databasePath: string,
): Promise<RunningServer> {
  const file = writeConstant(workbench, response);
  return workbench.serve('single-commit', (port) => [
    process.execPath,
    SINGLE_COMMIT_SERVER,
    String(port),
    file,
    databasePath,
  ]);
}
