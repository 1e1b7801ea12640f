import { type WritableJson, writeJson } from '../../../http/json.ts';
import type { ExampleRequest } from './example-request.ts';

/** Returns a request as a command. The key comes from a file, so that no command contains it. */
export function curlSample(baseUrl: string, request: ExampleRequest): string {
  const { method, body } = request;
  const command = [
    `curl${method === 'GET' ? '' : ` -X ${method}`} "${baseUrl}${targetOf(request)}"`,
    '-H @petstore.headers',
    ...(body ? [`-H "Content-Type: ${body.mediaType}"`, `-d ${quoted(body.value)}`] : []),
  ].join(' \\\n  ');
  return `# petstore.headers holds your key: see Getting started\n${command}`;
}

function targetOf({ path, ids, query }: ExampleRequest): string {
  const values = ids.values();
  const search = Object.entries(query).map(([name, value]) => `${name}=${String(value)}`);
  const target = path.replace(/\{\w+\}/g, () => encodeURIComponent(String(values.next().value)));
  return search.length > 0 ? `${target}?${search.join('&')}` : target;
}

/** Quotes JSON, or the text of a file, for a shell. */
function quoted(body: unknown): string {
  // The examples of the document are JSON.
  const text = typeof body === 'string' ? body : writeJson(body as WritableJson);
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
