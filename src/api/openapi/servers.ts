import type { Environment } from '../../domain/deployment.ts';

/** The base addresses of the two deployments, each ending in `/v1`. */
export interface DocumentServers {
  readonly productionUrl: string;
  readonly stagingUrl: string;
}

/** The addresses in the committed document, and of a deployment that nobody has named. */
export const EXAMPLE_SERVERS: DocumentServers = {
  productionUrl: 'https://petstore.example/v1',
  stagingUrl: 'https://staging.petstore.example/v1',
};

/** What the settings say of the two deployments. */
interface Addresses {
  readonly environment: Environment;
  readonly baseUrl: string | undefined;
  readonly stagingBaseUrl: string | undefined;
}

/** The addresses as configured; `boundUrl` is where the deployment that asks is served. */
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
