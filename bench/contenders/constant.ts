import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireAnswer } from '../wire.ts';
import type { RunningServer, Workbench } from '../workbench.ts';

const SERVER = join(import.meta.dir, 'constant-server.ts');

/** Fields that the runtime writes by itself. */
const OWN_FIELDS = new Set(['date', 'content-length', 'connection']);

/** The response that servers of constant headers give: what `Response` takes, as JSON. */
export interface ConstantResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Puts an answer into a file for such a server; gives the file's name. */
export function writeConstant({ folder }: Workbench, response: WireAnswer): string {
  const { status, fields, body } = response;
  const headers = fields.filter(([name]) => !OWN_FIELDS.has(name.toLowerCase()));
  const constant: ConstantResponse = { status, headers: Object.fromEntries(headers), body };
  const file = join(folder, 'constant.json');
  writeFileSync(file, JSON.stringify(constant));
  return file;
}

/** A bare handler that returns our answer as a constant: the limit of the runtime. */
export function startConstant(workbench: Workbench, response: WireAnswer): Promise<RunningServer> {
  const file = writeConstant(workbench, response);
  return workbench.serve('constant', (port) => [process.execPath, SERVER, String(port), file]);
}
