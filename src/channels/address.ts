import { CHANNEL_ADDRESS_MAX } from '../domain/channel.ts';

const PORTS = { ftp: 21, ftps: 21, sftp: 22 } as const;
/** TLS from the first byte, where others ask for it with AUTH TLS. */
export const IMPLICIT_TLS_PORT = 990;

/** Where a channel sends its files. */
export interface ChannelAddress {
  readonly protocol: keyof typeof PORTS;
  readonly user: string;
  /** A name, or an address without brackets. */
  readonly host: string;
  readonly port: number;
  /** The folder: '' is the one that the user starts in. */
  readonly folder: string;
  /** An https URL of the host alone, for the rules of what may be called. */
  readonly hostUrl: string;
}

const AMBIGUOUS = /[\p{Cc}\p{Cf}\s\\]/u;

/** Reads `ftps://USER@HOST/PATH`, or says what is wrong with it, as the end of a sentence. */
export function readAddress(text: string): ChannelAddress | string {
  if (text.length > CHANNEL_ADDRESS_MAX) {
    return `must have at most ${CHANNEL_ADDRESS_MAX} characters`;
  }
  if (AMBIGUOUS.test(text)) return 'must not contain spaces, control characters or backslashes';
  const [, scheme = ''] = /^(ftps?|sftp):\/\/[^/]/i.exec(text) ?? [];
  const protocol = scheme.toLowerCase() as keyof typeof PORTS;
  // As https, so that every spelling of a host is the same.
  const url = scheme === '' ? null : URL.parse(`https${text.slice(scheme.length)}`);
  if (url === null || url.hostname === '') {
    return 'must be like ftps://USER@HOST/FOLDER, with ftp, ftps or sftp';
  }
  if (url.password !== '') return 'must not contain the password, which has a field of its own';
  const [authority = ''] = text.slice(scheme.length + 3).split('/', 1);
  if (url.search !== '' || url.hash !== '') return 'must not have a query or a fragment';
  try {
    const user = decodeURIComponent(url.username) || 'anonymous';
    const folder = decodeURIComponent(url.pathname).replace(/\/$/, '');
    if (/\p{Cc}/u.test(user + folder)) return 'must not contain control characters';
    return {
      protocol,
      user,
      host: url.hostname.replace(/^\[|\]$/g, ''),
      port: Number(url.port) || (authority.endsWith(':443') ? 443 : PORTS[protocol]),
      folder,
      hostUrl: `https://${url.hostname}/`,
    };
  } catch {
    return 'must be a valid address: encode a percent sign as %25';
  }
}
