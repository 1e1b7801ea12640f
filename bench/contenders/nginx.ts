import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireAnswer } from '../wire.ts';
import type { RunningServer, Workbench } from '../workbench.ts';

/** Fields that nginx writes by itself, with these values or ones of the same length. */
const OWN_FIELDS = new Set(['date', 'content-type', 'content-length', 'server', 'connection']);
/** What it writes of those that our answer does not have. */
const OWN_EXTRA = 'Server: nginx\r\nConnection: keep-alive\r\n'.length;

/** One worker that returns our answer as a constant, of the same size to the byte. */
export function startNginx(
  workbench: Workbench,
  nginx: string,
  response: WireAnswer,
): Promise<RunningServer> {
  const prefix = join(workbench.folder, 'nginx');
  mkdirSync(prefix, { recursive: true });
  const file = join(prefix, 'nginx.conf');
  return workbench.serve('nginx', (port) => {
    writeFileSync(file, configuration(port, response));
    return [nginx, '-p', `${prefix}/`, '-c', file, '-e', join(prefix, 'error.log')];
  });
}

function configuration(port: number, response: WireAnswer): string {
  const fields = shorten(
    response.fields.filter(([name]) => !OWN_FIELDS.has(name.toLowerCase())),
    OWN_EXTRA,
  );
  const type = response.fields.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return `
daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  server_tokens off;
  keepalive_requests 1000000000;
  default_type ${quoted(type)};
  client_body_temp_path body;
  proxy_temp_path proxy;
  fastcgi_temp_path fastcgi;
  uwsgi_temp_path uwsgi;
  scgi_temp_path scgi;
  server {
    listen 127.0.0.1:${port};
    location / {
      ${fields.map(([name, value]) => `add_header ${name} ${quoted(value)};`).join('\n      ')}
      return ${response.status} ${quoted(response.body)};
    }
  }
}
`;
}

/** Takes characters off the longest values, so that the fields that nginx adds find room. */
function shorten(fields: WireAnswer['fields'], characters: number): WireAnswer['fields'] {
  const lengths = fields.map(([, value]) => value.length);
  for (let taken = 0; taken < characters; taken++) {
    const longest = lengths.indexOf(Math.max(...lengths));
    lengths[longest] = (lengths[longest] ?? 0) - 1;
  }
  return fields.map(([name, value], index) => [name, value.slice(0, lengths[index])]);
}

/** A text as a parameter of nginx's configuration, which has no way to write `$` in one. */
function quoted(text: string): string {
  if (text.includes('$')) throw new Error(`nginx cannot return a text with a $: ${text}`);
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
