import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { chmodSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { Channels } from '../../src/channels/channels.ts';
import { DAY_MS, MINUTE_MS } from '../../src/domain/clock.ts';
import { createSecretCipher } from '../../src/webhooks/secrets.ts';
import { openSubject } from '../storage/subject.ts';
import { CHANGE_STAMP } from '../support/change-stamp.ts';
import { chosenEngine } from '../support/engines.ts';
import { addListed } from '../support/enquiries.ts';
import { eventually } from '../support/eventually.ts';
import { picture } from '../support/pictures.ts';
import { startPetstore, type TestPetstore } from '../support/start.ts';
import { CHANNEL_SETTINGS, sent } from './channel.ts';
import {
  type FileServer,
  type FtpServer,
  startFtpServer,
  startSftpServer,
} from './file-servers.ts';

/* Photos that are uploaded beside a file: once, then what has changed; before the file, and gone after it. */

setDefaultTimeout(120_000);

const SETTINGS = {
  ...CHANNEL_SETTINGS,
  PETSTORE_WEBHOOK_SCHEDULE: '1d',
};

describe.each([
  ['ftps', startFtpServer],
  ['sftp', startSftpServer],
] as const)('over %s', (_, startServer) => {
  let server: FileServer;
  let petstore: TestPetstore;
  beforeAll(async () => {
    server = await startServer();
    const { certificates } = server as Partial<FtpServer>;
    const authority = certificates && readFileSync(certificates.authority, 'utf8');
    petstore = await startPetstore({ settings: SETTINGS, ...(authority && { authority }) });
  });
  afterAll(async () => {
    await petstore[Symbol.asyncDispose]();
    await server[Symbol.asyncDispose]();
  });

  async function addPhoto(petId: bigint, width: number): Promise<string> {
    const body = await picture(width, 40);
    const path = `/v1/pets/${petId}/photos`;
    const { status, text } = await petstore.admin.send('POST', path, { body });
    expect([status, text]).toEqual([201, expect.any(String)]);
    return `${path}/${JSON.parse(text).id}`;
  }
  const folder = () => `${server.folder}/import/pictures`;
  const there = () => (existsSync(folder()) ? readdirSync(folder()).sort() : []);
  const read = async (path: string) => JSON.parse((await petstore.admin.get(path)).text);

  test('what is there is not sent again, what has changed is, and what is unwanted goes', async () => {
    const [first, second] = [
      await addListed(petstore.storage, 'Ada'),
      await addListed(petstore.storage, 'Bo'),
    ];
    const photos = [
      await addPhoto(first, 61),
      await addPhoto(first, 62),
      await addPhoto(second, 63),
    ];
    const { text } = await petstore.admin.post('/v1/channels', {
      ...{ kind: 'rescuegroups', address: server.address, password: server.password },
      photosAs: 'uploads',
    });
    const { id, photosAs } = JSON.parse(text);
    expect(photosAs).toBe('uploads');
    const path = `/v1/channels/${id}`;
    const [a1, a2, b1] = [`${first}-1.jpg`, `${first}-2.jpg`, `${second}-1.jpg`];
    expect(await sent(petstore.admin, path)).toMatchObject({
      outcome: 'sent',
      rows: 2,
      photosSent: 3,
      photosLeft: 0,
    });
    expect(there()).toEqual([a1, a2, b1].sort());
    expect([...readFileSync(`${folder()}/${a1}`).subarray(0, 3)]).toEqual([0xff, 0xd8, 0xff]);
    expect(server.read('pets.csv')).toContain(`,${a1},${a2},,`);

    expect(await sent(petstore.admin, path)).toMatchObject({ outcome: 'sent', photosSent: 0 });
    // Left by an upload that was cut, and by another program.
    writeFileSync(`${folder()}/77-1.jpg.part`, 'half');
    writeFileSync(`${folder()}/logo.jpg`, 'logo');
    await petstore.admin.delete(photos[0] ?? '');
    expect(await sent(petstore.admin, path)).toMatchObject({ outcome: 'sent', photosSent: 1 });
    expect(there()).toEqual([a1, b1, 'logo.jpg'].sort());
    await petstore.admin.delete(`/v1/pets/${second}`);
    // The guard: nothing is removed for a file that is held back.
    await petstore.admin.patch(path, { every: '1h' });
    petstore.clock.advance(DAY_MS);
    await eventually(
      () => read(`${path}/sendings`),
      ([newest]) => newest.outcome === 'held',
    );
    expect(there()).toContain(b1);
    expect(await sent(petstore.admin, path, '?anyway=true')).toMatchObject({
      outcome: 'sent',
      rows: 1,
    });
    expect(there()).toEqual([a1, 'logo.jpg'].sort());
    // A place that lets nobody remove anything has got the file all the same.
    chmodSync(folder(), 0o555);
    await petstore.admin.delete(`/v1/pets/${first}`);
    expect(await sent(petstore.admin, path, '?anyway=true')).toMatchObject({
      outcome: 'sent',
      rows: 0,
    });
    expect(there()).toContain(a1);
    chmodSync(folder(), 0o755);
  });

  test('a sending stops at its limit of bytes, and the next one continues a minute later', async () => {
    await using subject = await openSubject(chosenEngine());
    const { channels: storage } = subject.storage;
    const at = CHANGE_STAMP.at;
    const { id } = await storage.create(
      {
        ...{ kind: 'csv', address: server.address, accountId: null, photosAs: 'uploads' },
        ...{ everyMs: DAY_MS, nextAt: at, createdAt: at },
      },
      () => JSON.stringify({ password: server.password }),
    );
    const photos = [1, 2, 3, 4].map((n) => ({ name: `9-${n}.jpg`, file: `${n}` }));
    const { certificates } = server as Partial<FtpServer>;
    const channels = new Channels({
      ...{ storage, clock: { now: () => at }, cipher: createSecretCipher([]), waitsMs: [] },
      addressesOf: async () => ['127.0.0.1'],
      makeFile: async () => ({ name: 'a.csv', text: 'id\r\n9\r\n', rows: 1, leftOut: [], photos }),
      // They say that they are larger than they are.
      readPhoto: async (file) => ({ size: 2 ** 27, bytes: () => new Blob([file]).bytes() }),
      tell: async () => true,
      log: { info() {} },
      authority: certificates && readFileSync(certificates.authority, 'utf8'),
    });
    const run = async () => {
      await storage.request(id, true, at);
      const channel = await storage.find(id);
      await channels.task(id, () => channel).run(new AbortController().signal);
      const { items } = await storage.sendings(id, { afterId: undefined, limit: 1 });
      return [items[0], await storage.find(id)] as const;
    };
    const [first, waiting] = await run();
    expect(first).toMatchObject({ outcome: 'sent', photosSent: 3, photosLeft: 1 });
    expect(waiting?.nextAt).toBe(at + MINUTE_MS);
    expect(server.names()).toContain('a.csv');
  });
});
