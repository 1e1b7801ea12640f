import { entityTag, type HttpResponse } from '../http/response.ts';

/** Returns a guide as its text in Markdown, whose links between guides work at its address too. */
export function markdownResponse(body: string): HttpResponse {
  const headers = { 'content-type': 'text/markdown; charset=utf-8', etag: entityTag(body) };
  return { status: 200, body, headers };
}

/**
 * Returns `/llms.txt`: what the service is and where programs find the rest, with the addresses of this
 * server. `index` is the text of the guides' index, which has a line for each guide.
 */
export function llmsResponse(index: string, baseUrl: string): HttpResponse {
  const root = new URL(baseUrl).origin;
  const guides = index.slice(index.indexOf('\n## Start')).replace(/\n## Reference\n[\s\S]*$/, '\n');
  const linked = guides.replace(/\]\(([a-z-]+\.md(?:#[a-z-]+)?)\)/g, `](${root}/docs/$1)`);
  const body = `# Petstore

> A store or shelter publishes the animals that it has for adoption. Programs read and change that list over HTTP, in JSON,
> at ${baseUrl}.

Every request needs an API key: \`Authorization: Bearer <API key>\`. Only the operator of the service can create one; ask for
the smallest scope that will do: \`read\`, \`adopt\` or \`write\`. [Getting started](${root}/docs/getting-started.md) shows a
first request, and [Authentication](${root}/docs/authentication.md) what each scope may do.

## Documents

- [Tools](${root}/mcp): the Model Context Protocol, for assistants that speak it; a key adds tools that its scope allows
- [OpenAPI, small](${root}/openapi-small.json): the operations of \`read\`, \`adopt\` and \`write\` alone, for tools of an assistant
- [OpenAPI](${root}/openapi.json): everything, with examples of every response; also [as YAML](${root}/openapi.yaml) and in [version 3.0](${root}/openapi-3.0.json)
- [Errors](${root}/docs/errors.md): every code, its meaning, and what to do
${linked}`;
  const headers = { 'content-type': 'text/plain; charset=utf-8', etag: entityTag(body) };
  return { status: 200, body, headers };
}
