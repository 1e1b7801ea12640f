import { eventually } from '../support/eventually.ts';
import { programPath } from '../support/program.ts';
import { example, type ProxyProgram, type ProxyServer, replaced } from './proxy-server.ts';

/** HAProxy, with examples/haproxy.cfg. */
export const haproxy: ProxyProgram = {
  name: 'HAProxy',
  configuration(port, instances) {
    const servers = (track: boolean) =>
      instances.map((at, i) => {
        const name = `petstore-${i + 1}`;
        return `    server ${name} 127.0.0.1:${at}${track ? ` track instances/${name}` : ''}\n`;
      });
    const bound = replaced(example('haproxy.cfg'), /^( *bind) :80$/m, `$1 127.0.0.1:${port}`);
    const checked = /(?:^ *server petstore-\d+ petstore-\d+:8080\n)+/m;
    const tracked = /(?:^ *server petstore-\d+ petstore-\d+:8080 track \S+\n)+/m;
    return replaced(
      replaced(bound, checked, servers(false).join('')),
      tracked,
      servers(true).join(''),
    );
  },
  command: (action, path) => [
    programPath('haproxy', 'haproxy'),
    action === 'run' ? '-db' : '-c',
    '-f',
    path,
  ],
};

/** Waits until HAProxy logs an instance as down or up, after this position in its log. */
export async function untilState(
  proxy: ProxyServer,
  instance: number,
  state: 'DOWN' | 'UP',
  after: number,
): Promise<void> {
  const line = `Server instances/petstore-${instance + 1} is ${state}`;
  await eventually(() => proxy.log().indexOf(line, after) >= 0, Boolean);
}
