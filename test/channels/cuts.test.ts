import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import { readAddress } from '../../src/channels/address.ts';
import { openPlace } from '../../src/channels/place.ts';
import {
  type FileServer,
  type FtpServer,
  startFtpServer,
  startSftpServer,
} from './file-servers.ts';

/* Places that go away in the middle of an upload, or fill up: the file there is the old or the new one, whole. */

setDefaultTimeout(240_000);

const UPLOADS = 50;
const KIBIBYTES = 3_072;
const SIZE = 600_000;

/** A file that says which one it is, in each of its lines. */
function fileOf(n: number): Uint8Array {
  const line = `file ${n}\r\n`;
  return new TextEncoder().encode(line.repeat(Math.floor(SIZE / line.length)));
}

/** Which file this is; undefined unless it is whole. */
function whole(text: string): number | undefined {
  const n = Number(/^file (\d+)/.exec(text)?.[1]);
  return text === new TextDecoder().decode(fileOf(n)) ? n : undefined;
}

/** Passes bytes to a server, and cuts all connections after a number of them. */
async function startCutting(port: number) {
  let left = Number.POSITIVE_INFINITY;
  const open = new Set<Socket>();
  const cut = () => {
    for (const socket of open) socket.destroy();
  };
  const server = createServer((client) => {
    const behind = dial(port, '127.0.0.1');
    for (const [from, to] of [
      [client, behind],
      [behind, client],
    ] as const) {
      open.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        open.delete(from);
        to.destroy();
      });
      from.on('data', (chunk) => {
        left -= chunk.length;
        if (left < 0) cut();
        else to.write(chunk);
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cutAfter: (bytes: number) => {
      left = bytes;
    },
    close: () => {
      cut();
      server.close();
    },
  };
}

async function upload(server: FileServer, port: number, n: number, signal: AbortSignal) {
  const address = readAddress(server.address.replace(`:${server.port}`, `:${port}`));
  if (typeof address === 'string') throw new Error(address);
  const authority =
    'certificates' in server
      ? readFileSync((server as FtpServer).certificates.authority, 'utf8')
      : undefined;
  const credentials = { password: server.password };
  const place = await openPlace(
    { address, ip: '127.0.0.1', credentials, hostKey: undefined, authority },
    signal,
  );
  try {
    await place.put('animals.csv', fileOf(n));
  } finally {
    await place.close();
  }
}

describe.each([
  ['ftps', startFtpServer],
  ['sftp', startSftpServer],
] as const)('over %s', (kind, startServer) => {
  let server: FileServer;
  beforeAll(async () => {
    server = await startServer({ kibibytes: KIBIBYTES });
    await upload(server, server.port, 0, new AbortController().signal);
  });
  afterAll(() => server[Symbol.asyncDispose]());

  test(`${UPLOADS} uploads that are cut or whose server is killed leave a whole file`, async () => {
    // Of FTP only the control connection passes the proxy: the data goes to the server itself.
    const proxy = await startCutting(server.port);
    let last = 0;
    let failures = 0;
    for (let n = 1; n <= UPLOADS; n++) {
      const ending = new AbortController();
      const isKill = n % 5 === 0;
      const isCut = n % 5 === 1 || n % 5 === 2;
      const isEnd = n % 5 === 3;
      proxy.cutAfter(
        isCut
          ? Math.floor((n / UPLOADS) * (kind === 'sftp' ? SIZE : 6_000))
          : Number.POSITIVE_INFINITY,
      );
      const uploading = upload(server, proxy.port, n, ending.signal).then(
        () => true,
        () => false,
      );
      if (isKill) {
        await Bun.sleep(n * 3);
        await server.stop();
        await server.start();
      }
      if (isEnd) setTimeout(() => ending.abort(), n * 4);
      const isDone = await Promise.race([uploading, Bun.sleep(25_000).then(() => 'hangs')]);
      expect(isDone).not.toBe('hangs');
      if (isDone === false) failures++;
      const there = whole(server.read('animals.csv'));
      expect(there).toBeDefined();
      // Its end may have been lost on the way back.
      if (isDone === true) expect(there).toBe(n);
      else expect([last, n]).toContain(there ?? -1);
      last = there ?? last;
    }
    proxy.close();
    console.log(`${kind}: ${failures} of ${UPLOADS} were cut`);
    expect(failures).toBeGreaterThan(UPLOADS / 5);
    await upload(server, server.port, 99, new AbortController().signal);
    expect(whole(server.read('animals.csv'))).toBe(99);
    expect(server.names()).toEqual(['animals.csv']);
  });

  test('a full disk keeps the file that is there', async () => {
    await upload(server, server.port, 1, new AbortController().signal);
    const filler = `${server.folder}/filler`;
    await Bun.write(filler, new Uint8Array(KIBIBYTES * 1_024 - 2 * SIZE + 200_000)).catch(() => {});
    await expect(upload(server, server.port, 2, new AbortController().signal)).rejects.toThrow();
    expect(whole(server.read('animals.csv'))).toBe(1);
    await Bun.file(filler).delete();
    await upload(server, server.port, 3, new AbortController().signal);
    expect(whole(server.read('animals.csv'))).toBe(3);
  });
});

const AFTER = {
  'its answer': (socket: Socket) => socket.end('234 begin\r\n'),
  'the first bytes': (socket: Socket) => {
    socket.write('234 begin\r\n');
    socket.once('data', () => socket.destroy());
  },
  'a reset': (socket: Socket) => {
    socket.write('234 begin\r\n');
    socket.once('data', () => socket.resetAndDestroy());
  },
  'a silence': (socket: Socket) => {
    socket.write('234 begin\r\n');
    setTimeout(() => socket.destroy(), 300);
  },
};

test.each(Object.entries(AFTER))(
  'a server that goes away after %s to encrypt the connection',
  async (_, leave) => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      socket.write('220 ready\r\n');
      socket.once('data', () => leave(socket));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const address = readAddress(`ftps://shop@127.0.0.1:${port}/`);
    if (typeof address === 'string') throw new Error(address);
    const place = { address, ip: '127.0.0.1', credentials: {}, hostKey: undefined };
    const opened = openPlace(place, new AbortController().signal);
    await expect(Promise.race([opened, Bun.sleep(10_000)])).rejects.toThrow();
    server.close();
  },
);
