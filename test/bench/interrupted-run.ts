/** A run of the bench that goes on until a signal ends it; writes what the test has to know. */
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
// As a run does that takes one which ended for one which failed, and goes on to the next.
for (;;) await workbench.run(['sleep', '60']);
