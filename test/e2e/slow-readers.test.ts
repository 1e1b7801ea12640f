import { expect, test } from 'bun:test';
import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { BUNDLE_PATH } from '../../src/site/reference.ts';
import { requestText } from '../support/raw-connection.ts';
import { startServing } from '../support/serving.ts';
import { createTemporaryFolder } from '../support/temporary.ts';

const READERS = 200;
const GROWTH_MAX_MIB = 50;

/** The resident memory of a process, in MiB. */
function residentMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) / 1_024;
}

/** Requests the bundle uncompressed, and stops reading after the first bytes. */
async function startReading(port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  socket.on('error', reject);
  let received = '';
  socket.on('data', (bytes: Buffer) => {
    received += bytes.toString('latin1');
    if (!received.includes('\r\n\r\n')) return;
    socket.pause();
    if (received.startsWith('HTTP/1.1 200')) resolve();
    else reject(new Error(received));
  });
  socket.write(requestText(`GET ${BUNDLE_PATH}`, 'Host: x', 'Accept-Encoding: identity'));
  await promise;
  return socket;
}

test.skipIf(process.platform !== 'linux')(
  'readers that take the largest file slowly share one copy of it',
  async () => {
    using folder = createTemporaryFolder();
    await using serving = await startServing({
      PETSTORE_DATABASE: `sqlite:${folder.file('petstore.db')}`,
    });
    // Load the pages first: their memory is not part of a reader's cost.
    await serving.client.get('/docs');
    const before = residentMemory(serving.child.pid);
    const readers = await Promise.all(
      Array.from({ length: READERS }, () => startReading(serving.port)),
    );
    expect(residentMemory(serving.child.pid) - before).toBeLessThan(GROWTH_MAX_MIB);
    for (const reader of readers) reader.destroy();
  },
  60_000,
);
