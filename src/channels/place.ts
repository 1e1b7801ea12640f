import { createHash } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { Readable } from 'node:stream';
import type { FTPContext, FTPResponse } from 'basic-ftp';
import { SECOND_MS } from '../domain/clock.ts';
import { type ChannelAddress, IMPLICIT_TLS_PORT } from './address.ts';

/** The longest silence of a place. */
const SILENCE_MS = 20 * SECOND_MS;
/** The longest time to say goodbye. */
const CLOSING_MS = SECOND_MS;

/** How to sign in. */
export interface Credentials {
  readonly password?: string;
  readonly privateKey?: string;
}

/** A place to connect to, at an address that was checked. */
export interface Place {
  readonly address: ChannelAddress;
  /** Dialled instead of the name. */
  readonly ip: string;
  readonly credentials: Credentials;
  /** `SHA256:…`, the only key that an SFTP server may have; undefined before the first connection. */
  readonly hostKey: string | undefined;
  /** The only authority to trust, as PEM; by default those of the runtime. */
  readonly authority?: string | undefined;
}

/** A connection, signed in, in the folder of the channel. */
export interface OpenPlace {
  readonly hostKey: string | undefined;
  /** Writes a file under another name, checks its size, and gives it its name: there is never half of it. */
  put(name: string, content: Uint8Array): Promise<void>;
  /** The sizes of the files in a folder in it, by name: none if the place shows none. Makes the folder if it is missing. */
  files(folder: string): Promise<ReadonlyMap<string, number>>;
  remove(name: string): Promise<void>;
  close(): Promise<void>;
}

/** The place refuses the user or the password. */
export class RefusedSignIn extends Error {
  override readonly name = 'RefusedSignIn';
}

/** The server has another key than the one that was remembered. No password was sent. */
export class OtherHostKey extends Error {
  override readonly name = 'OtherHostKey';
}

/** Connects, signs in and goes to the folder. The signal ends the connection at any time. */
export function openPlace(place: Place, signal: AbortSignal): Promise<OpenPlace> {
  return place.address.protocol === 'sftp' ? openSftp(place, signal) : openFtp(place, signal);
}

const PART = '.part';

async function openFtp(
  { address, ip, credentials, authority }: Place,
  signal: AbortSignal,
): Promise<OpenPlace> {
  const { Client, FTPError } = await import('basic-ftp');
  const { protocol, host, port, user, folder } = address;
  const client = new Client(SILENCE_MS);
  client.prepareTransfer = enterPassiveMode;
  const end = () => client.close();
  signal.addEventListener('abort', end, { once: true });
  try {
    const secure = { host, servername: nameOf(host), ...(authority && { ca: authority }) };
    const isImplicit = protocol === 'ftps' && port === IMPLICIT_TLS_PORT;
    if (isImplicit) await client.connectImplicitTLS(ip, port, secure);
    else await client.connect(ip, port);
    if (protocol === 'ftps' && !isImplicit) {
      await Promise.race([client.useTLS(secure), handshakeLost(client.ftp.socket)]);
    }
    // Before the name of the user, which may not be ASCII.
    await client.sendIgnoringError('OPTS UTF8 ON');
    await client.login(user, credentials.password ?? '');
    await client.useDefaultSettings();
    if (folder !== '') await client.cd(folder.replace(/^\/(?!\/)/, ''));
  } catch (error) {
    client.close();
    const isRefused = error instanceof FTPError && error.code === 530;
    throw isRefused ? new RefusedSignIn('The place refuses user or password.') : error;
  }
  /** Undefined for a server that refuses the command. */
  const unlessRefused = (error: unknown) => {
    if (!(error instanceof FTPError)) throw error;
    return undefined;
  };
  return {
    hostKey: undefined,
    async put(name, content) {
      await client.uploadFrom(Readable.from([content]), name + PART);
      // Some servers tell no size.
      const size = await client.size(name + PART).catch(unlessRefused);
      if (size !== undefined) requireSize(size, content.length);
      const renamed = await client.rename(name + PART, name).catch(unlessRefused);
      if (renamed !== undefined) return;
      // Some servers rename onto no other file.
      await client.remove(name);
      await client.rename(name + PART, name);
    },
    async files(folder) {
      await client.sendIgnoringError(`MKD ${folder}`);
      return sizesOf((await client.list(folder).catch(unlessRefused)) ?? []);
    },
    remove: async (name) => void (await client.remove(name, true)),
    async close() {
      signal.removeEventListener('abort', end);
      client.close();
    },
  };
}

/**
 * Opens a connection for data, to the host that was checked: a server behind a router may name its inner address
 * (RFC 2428, section 1), which the library refuses.
 */
async function enterPassiveMode(ftp: FTPContext): Promise<FTPResponse> {
  const { connectForPassiveTransfer, enterPassiveModeIPv6, parsePasvResponse } = await import(
    'basic-ftp/dist/transfer.js'
  );
  try {
    return await enterPassiveModeIPv6(ftp);
  } catch {
    const answer = await ftp.request('PASV');
    const { port } = parsePasvResponse(answer.message);
    await connectForPassiveTransfer(ftp.socket.remoteAddress ?? '', port, ftp);
    return answer;
  }
}

/** Rejects when the connection ends, or is silent for too long: the client itself would wait for ever. */
async function handshakeLost(socket: Socket): Promise<never> {
  const signal = AbortSignal.timeout(SILENCE_MS);
  await once(socket, 'close', { signal }).catch(() => {});
  throw new Error('The connection ended before it was encrypted.');
}

async function openSftp(
  { address, ip, credentials, hostKey: known }: Place,
  signal: AbortSignal,
): Promise<OpenPlace> {
  const { default: Client } = await import('ssh2-sftp-client');
  const { port, user, folder } = address;
  const client = new Client();
  // The client leaves calls without an answer when the connection ends between two of its steps.
  const ended = Promise.withResolvers<never>();
  ended.promise.catch(() => {});
  const lose = () => ended.reject(new Error('The connection ended.'));
  const connected = <T>(work: Promise<T>) => Promise.race([work, ended.promise]);
  const end = () => {
    lose();
    void client.end().catch(() => {});
  };
  signal.addEventListener('abort', end, { once: true });
  let hostKey: string | undefined;
  // Many servers take a password only so (RFC 4256), and ask for nothing else.
  client.on('keyboard-interactive', (...[, , , prompts, answer]: Dialog) =>
    answer(prompts.map(() => credentials.password ?? '')),
  );
  try {
    const connecting = client.connect({
      ...{ host: ip, port, username: user, ...credentials },
      tryKeyboard: credentials.password !== undefined,
      readyTimeout: SILENCE_MS,
      keepaliveInterval: SILENCE_MS / 2,
      hostVerifier: (key: Buffer) => {
        hostKey = fingerprint(key);
        return known === undefined || known === hostKey;
      },
    });
    await connected(connecting);
    client.on('close', lose);
  } catch (error) {
    end();
    if (known !== undefined && hostKey !== undefined && known !== hostKey) {
      throw new OtherHostKey(`The server has another key: ${hostKey}, not ${known}.`);
    }
    const isRefused =
      error instanceof Error && /authentication methods failed/i.test(error.message);
    throw isRefused ? new RefusedSignIn('The place refuses user, password or key.') : error;
  }
  // A folder is named from the root.
  const at = (name: string) => `${folder === '' ? '.' : folder}/${name}`;
  async function put(name: string, content: Uint8Array): Promise<void> {
    const part = at(name + PART);
    await client.put(Buffer.from(content), part);
    requireSize((await client.stat(part)).size, content.length);
    try {
      await client.posixRename(part, at(name));
    } catch {
      // Only OpenSSH has that; the other rename is onto no other file.
      if (await client.exists(at(name))) await client.delete(at(name));
      await client.rename(part, at(name));
    }
  }
  async function files(inner: string): Promise<ReadonlyMap<string, number>> {
    if ((await client.exists(at(inner))) === false) await client.mkdir(at(inner));
    return sizesOf(await client.list(at(inner)).catch(() => []));
  }
  return {
    hostKey,
    put: (name, content) => connected(put(name, content)),
    files: (inner) => connected(files(inner)),
    remove: async (name) => void (await connected(client.delete(at(name), true))),
    async close() {
      signal.removeEventListener('abort', end);
      const late = Bun.sleep(CLOSING_MS).then(lose);
      await Promise.race([client.end(), late, ended.promise]).catch(() => {});
    },
  };
}

/** A name, an instruction, its language, what is asked, and what takes the answers. */
type Dialog = [string, string, string, readonly object[], (answers: string[]) => void];

function sizesOf(files: readonly { readonly name: string; readonly size: number }[]) {
  return new Map(files.map(({ name, size }) => [name, size] as const));
}

/** The fingerprint of a key as OpenSSH shows it. */
function fingerprint(key: Uint8Array): string {
  return `SHA256:${createHash('sha256').update(key).digest('base64').replace(/=+$/, '')}`;
}

/** A certificate is for an address or a name; an address is no server name. */
function nameOf(host: string): string {
  return /^[\d.]+$|:/.test(host) ? '' : host;
}

function requireSize(found: number, expected: number): void {
  if (found !== expected) {
    throw new Error(`The place has ${found} bytes of ${expected}.`);
  }
}
