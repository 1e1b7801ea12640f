import { join } from 'node:path';
import type { RunningServer, Workbench } from '../workbench.ts';

const SERVER = join(import.meta.dir, 'unlimited-server.ts');

/** Our service on the same database with a limiter that always grants: shows the cost of counting. */
export function startUnlimited(workbench: Workbench, databasePath: string): Promise<RunningServer> {
  return workbench.serve('unlimited', (port) => [
    ...[process.execPath, SERVER, String(port), `sqlite:${databasePath}`],
  ]);
}
