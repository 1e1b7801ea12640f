import { programPath } from '../support/program.ts';
import { example, type ProxyProgram, replaced } from './proxy-server.ts';

/** nginx, with examples/nginx.conf, in one process that a test can end. */
export const nginx: ProxyProgram = {
  name: 'nginx',
  configuration(port, instances, folder) {
    const options = 'max_fails=1 fail_timeout=2s';
    const servers = instances.map((at) => `        server 127.0.0.1:${at} ${options};\n`);
    const listen = /listen 80 default_server/;
    const bound = replaced(
      example('nginx.conf'),
      listen,
      `listen 127.0.0.1:${port} default_server`,
    );
    const known = new RegExp(`(?:^ *server petstore-\\d+:8080 ${options};\\n)+`, 'm');
    const pointed = replaced(bound, known, servers.join(''));
    // Files, since nginx may not have the right to open the standard output of the test.
    return pointed.replaceAll('/dev/std', folder.file('std'));
  },
  command(action, path, folder) {
    const global = `daemon off; master_process off; pid ${folder.file('pid')};`;
    const check = action === 'check' ? ['-t'] : [];
    return [
      programPath('nginx-light', 'nginx'),
      ...check,
      '-p',
      folder.path,
      '-c',
      path,
      '-g',
      global,
    ];
  },
};
