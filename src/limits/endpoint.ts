/** The address of an engine. */
export interface Endpoint {
  readonly host: string;
  readonly port: number;
  readonly isEncrypted: boolean;
}

const DEFAULT_PORT = 6_379;

/** Returns where the engine with this address listens. */
export function endpointOf(address: string): Endpoint {
  const { protocol, hostname, port } = new URL(address);
  return {
    // Sockets take an IPv6 address without the brackets of a URL.
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? DEFAULT_PORT : Number(port),
    isEncrypted: protocol === 'rediss:',
  };
}
