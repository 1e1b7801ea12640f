/** A run of the benchmark that continues until a signal ends it. Prints facts for the test. */
import { openWorkbench } from '../../bench/workbench.ts';

const SERVER =
  'Bun.serve({ hostname: "127.0.0.1", port: +process.argv[1], fetch: () => new Response() })';

await using workbench = openWorkbench(Bun.which('taskset') ?? '');
workbench.use({
  async [Symbol.asyncDispose]() {
    process.stdout.write('disposed\n');
  },
});
await workbench.serve('server', (port) => [process.execPath, '-e', SERVER, String(port)]);
process.stdout.write(`${workbench.folder}\n`);
// Starts another server like a run that takes an interrupted peer for a failed one.
for (;;) await workbench.run(['sleep', '60']);
