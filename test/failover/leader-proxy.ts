import { openSync } from 'node:fs';
import { join } from 'node:path';
import { endWithParent } from '../support/end-with-parent.ts';
import { eventually } from '../support/eventually.ts';
import { programPath } from '../support/program.ts';
import { CONFIGURATION, type DatabaseCluster } from './database-cluster.ts';

/** Starts HAProxy with the shipped configuration and returns the address of the database behind it. */
export async function startLeaderProxy({ address }: DatabaseCluster): Promise<string> {
  const output = openSync('/run/failover/haproxy.log', 'a');
  const command = [programPath('haproxy', 'haproxy'), '-db', '-f'];
  const configuration = join(CONFIGURATION, 'haproxy.cfg');
  Bun.spawn(endWithParent([...command, configuration]), { stdout: output, stderr: output }).unref();
  await eventually(accepts, Boolean);
  return address.replace(/(?<=@)[^/]+/, '127.0.0.1:5432');
}

async function accepts(): Promise<boolean> {
  try {
    const socket = await Bun.connect({ hostname: '127.0.0.1', port: 5432, socket: { data() {} } });
    socket.end();
    return true;
  } catch {
    return false;
  }
}
