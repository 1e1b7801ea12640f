import { readConfig } from '../../../src/config.ts';
import { openServer } from '../../../src/server.ts';
import { openLog } from '../../../src/telemetry/log.ts';

/*
 * The real server, which kills itself between the commit of a write and its response: the pipeline
 * logs a request once its result is on disk, before it builds the response.
 */

const server = await openServer(readConfig({}, process.env), {
  log: {
    ...openLog('silent'),
    request({ status }) {
      if (status === 201) process.kill(process.pid, 'SIGKILL');
    },
  },
});
process.stdout.write(`Serving on ${server.baseUrl}\n`);
