import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { WireResponse } from '../wire.ts';
import type { RunningServer, Workbench } from '../workbench.ts';

/** Headers that nginx adds, with these values or others of the same length. */
const OWN_HEADERS = new Set(['date', 'content-type', 'content-length', 'server', 'connection']);
/** The added headers that our response does not have. */
const OWN_EXTRA = 'Server: nginx\r\nConnection: keep-alive\r\n'.length;

/** One worker that returns our response as a constant of exactly the same size. */
export function startNginx(
  workbench: Workbench,
  nginx: string,
  response: WireResponse,
): Promise<RunningServer> {
  const prefix = join(workbench.folder, 'nginx');
  mkdirSync(prefix, { recursive: true });
  const file = join(prefix, 'nginx.conf');
  return workbench.serve('nginx', (port) => {
    writeFileSync(file, configuration(port, response, prefix));
    return [nginx, '-p', `${prefix}/`, '-c', file, '-e', join(prefix, 'error.log')];
  });
}

const TEXT_MAX = 4_000;

function configuration(port: number, response: WireResponse, prefix: string): string {
  const headers = shorten(
    response.headers.filter(([name]) => !OWN_HEADERS.has(name.toLowerCase())),
    OWN_EXTRA,
  );
  // nginx takes a text of 4 kB at most; a longer one is a file that it keeps open.
  const isLong = Buffer.byteLength(response.body) > TEXT_MAX;
  if (isLong) writeFileSync(join(prefix, 'body'), response.body);
  const body = isLong
    ? `root ${prefix}; try_files /body =404; max_ranges 0; add_header Last-Modified ''`
    : `return ${response.status} ${quoted(response.body)}`;
  const type = response.headers.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? '';
  return `
daemon off;
master_process off;
worker_processes 1;
pid nginx.pid;
events { worker_connections 1024; }
http {
  access_log off;
  sendfile on;
  tcp_nopush on;
  open_file_cache max=10 inactive=1h;
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
      ${headers.map(([name, value]) => `add_header ${name} ${quoted(value)};`).join('\n      ')}
      ${body};
    }
  }
}
`;
}

/** Shortens the longest values to make room for the headers that nginx adds. */
function shorten(headers: WireResponse['headers'], characters: number): WireResponse['headers'] {
  const lengths = headers.map(([, value]) => value.length);
  for (let taken = 0; taken < characters; taken++) {
    const longest = lengths.indexOf(Math.max(...lengths));
    lengths[longest] = (lengths[longest] ?? 0) - 1;
  }
  return headers.map(([name, value], index) => [name, value.slice(0, lengths[index])]);
}

/** Quotes a text for nginx's configuration, which cannot express `$`. */
function quoted(text: string): string {
  if (text.includes('$')) throw new Error(`nginx cannot return a text with a $: ${text}`);
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
