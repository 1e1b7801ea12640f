import { join } from 'node:path';
import type { WireResponse } from '../wire.ts';
import type { RunningServer, Workbench } from '../workbench.ts';
import { writeConstant } from './constant.ts';

const SERVER = join(import.meta.dir, 'single-commit-server.ts');

/** A bare handler that inserts each animal in its own transaction, as durable as ours. */
export function startSingleCommit(
  workbench: Workbench,
  response: WireResponse,
  databasePath: string,
): Promise<RunningServer> {
  const file = writeConstant(workbench, response);
  return workbench.serve('single-commit', (port) => [
    ...[process.execPath, SERVER, String(port), file, databasePath],
  ]);
}
