import type { Environment } from '../../domain/deployment.ts';
import { type HttpResponse, JSON_TYPE } from '../../http/response.ts';
import type { Page } from '../../site/site.ts';
import type { DocumentServers } from './document.ts';
import type { Rendering } from './renderings.ts';

/** The media type of YAML (RFC 9512). */
const YAML_TYPE = 'application/yaml';

/**
 * Returns the pages of the document by path. Each is rendered at its first request, and the code for
 * it is loaded then: most processes never need it.
 */
export function documentPages(servers: DocumentServers): ReadonlyMap<string, Page> {
  const page = (rendering: Rendering, contentType: string): Page => {
    let response: Promise<HttpResponse> | undefined;
    return () => (response ??= makePage(rendering, contentType, servers));
  };
  return new Map([
    ['/openapi.json', page('json', JSON_TYPE)],
    ['/openapi.yaml', page('yaml', YAML_TYPE)],
    ['/openapi-3.0.json', page('json-3.0', JSON_TYPE)],
    ['/openapi-small.json', page('json-small', JSON_TYPE)],
    ['/client/postman.json', page('postman', JSON_TYPE)],
  ]);
}

/** Renders the document as text for people. */
export async function documentText(
  rendering: Rendering,
  servers: DocumentServers,
): Promise<string> {
  const { renderDocument } = await import('./renderings.ts');
  return renderDocument(rendering, servers, true);
}

async function makePage(
  rendering: Rendering,
  contentType: string,
  servers: DocumentServers,
): Promise<HttpResponse> {
  const [{ renderDocument }, { compressedResponse }] = await Promise.all([
    import('./renderings.ts'),
    import('../../http/compression.ts'),
  ]);
  return compressedResponse(renderDocument(rendering, servers), contentType);
}

/** The URLs in the committed document. */
export const EXAMPLE_SERVERS = {
  productionUrl: 'https://petstore.example/v1',
  stagingUrl: 'https://staging.petstore.example/v1',
} as const;

/** The settings that name the two deployments. */
interface Addresses {
  readonly environment: Environment;
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
}

/**
 * Returns the configured URLs; `boundUrl` is that of the running deployment, which names no host that nobody has set. The
 * document of a command has examples instead.
 */
export function documentServers(
  { environment, baseUrl, stagingBaseUrl }: Addresses,
  boundUrl?: string,
): DocumentServers {
  const production = environment === 'production' ? boundUrl : undefined;
  const staging = environment === 'staging' ? boundUrl : undefined;
  const examples = boundUrl === undefined ? EXAMPLE_SERVERS : undefined;
  return {
    productionUrl: baseUrl ?? production ?? examples?.productionUrl,
    stagingUrl: stagingBaseUrl ?? staging ?? examples?.stagingUrl,
  };
}
