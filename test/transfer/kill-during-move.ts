import { striking } from './faults.ts';
import { move } from './moving.ts';

/* A move between the databases of its arguments that is killed at the place of the third. */

const [source = '', target = '', fault = ''] = process.argv.slice(2);
const kill = () => process.kill(process.pid, 'SIGKILL');
await move(
  { source: { address: source }, target: { address: target } },
  striking(JSON.parse(fault), kill),
);
