import { join } from 'node:path';
import type { WireAnswer } from '../wire.ts';
import type { RunningServer, Workbench } from '../workbench.ts';
import { writeConstant } from './constant.ts';

const SERVER = join(import.meta.dir, 'single-commit-server.ts');

/** A bare handler that inserts each animal in a transaction of its own, as durable as ours. */
export function startSingleCommit(
  workbench: Workbench,
  response: WireAnswer,
  databasePath: string,
): Promise<RunningServer> {
  const file = writeConstant(workbench, response);
  return workbench.serve('single-commit', (port) => [
    ...[process.execPath, SERVER, String(port), file, databasePath],
  ]);
}
