import { openServer } from '../../../src/server/server.ts';
import { readConfig } from '../../../src/settings/config.ts';
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
process.stderr.write(`Serving on ${server.baseUrl}\n`);
