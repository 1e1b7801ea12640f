import type { Environment } from '../../domain/deployment.ts';

/** The base URLs of the two deployments, each ending in `/v1`. */
export interface DocumentServers {
  readonly productionUrl: string;
  readonly stagingUrl: string;
}

/** The URLs in the committed document, and of a deployment without a configured URL. */
export const EXAMPLE_SERVERS: DocumentServers = {
  productionUrl: 'https://petstore.example/v1',
  stagingUrl: 'https://staging.petstore.example/v1',
};

/** The settings that name the two deployments. */
interface Addresses {
  readonly environment: Environment;
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
}

/** Returns the configured URLs; `boundUrl` is that of the running deployment. */
export function documentServers(
  { environment, baseUrl, stagingBaseUrl }: Addresses,
  boundUrl?: string,
): DocumentServers {
  const production = environment === 'production' ? boundUrl : undefined;
  const staging = environment === 'staging' ? boundUrl : undefined;
  return {
    productionUrl: baseUrl ?? production ?? EXAMPLE_SERVERS.productionUrl,
    stagingUrl: stagingBaseUrl ?? staging ?? EXAMPLE_SERVERS.stagingUrl,
  };
}
