import { beforeAll, describe, expect, test } from 'bun:test';
import { writeFileSync } from 'node:fs';
import { DAY_MS, systemClock } from '../../src/domain/clock.ts';
import {
  holdCertificate,
  readCertificate,
  UnusableCertificate,
} from '../../src/server/certificate.ts';
import { createCertificates, type IssuedFiles } from '../support/certificates.ts';
import { forAllTests } from '../support/lifetime.ts';

const NOTHING = { tlsCert: undefined, tlsKey: undefined };

test('without files there is no certificate', async () => {
  expect(await readCertificate(NOTHING, Date.now())).toBeUndefined();
});

test.each([
  [
    'TLS needs a certificate too: set --tls-cert or PETSTORE_TLS_CERT',
    { ...NOTHING, tlsKey: 'a.key' },
  ],
  ['TLS needs a key too: set --tls-key or PETSTORE_TLS_KEY', { ...NOTHING, tlsCert: 'a.crt' }],
])('one file is not enough: %s', async (message, files) => {
  expect(readCertificate(files, Date.now())).rejects.toThrow(message);
});

describe(`a certificate`, () => {
  let issued: IssuedFiles;
  const certificates = forAllTests(() => createCertificates());
  beforeAll(async () => {
    issued = await certificates.issue('first');
  });

  const read = (cert: string, key: string, now = Date.now()) =>
    readCertificate({ tlsCert: cert, tlsKey: key }, now);
  /** Returns the message with which these files are refused. */
  const problem = async (...args: Parameters<typeof read>) => {
    const error = await read(...args).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (!(error instanceof UnusableCertificate)) throw new Error(`unexpected: ${error}`);
    return error.message;
  };

  test('is accepted with its key and reports when it expires', async () => {
    const certificate = await read(issued.cert, issued.key);
    const days = ((certificate?.endsAt ?? 0) - Date.now()) / DAY_MS;
    expect(days).toBeWithin(29.9, 30.1);
  });

  test('is the one in use once new connections use it', async () => {
    const { cert, key } = await certificates.issue('renewed');
    const files = { tlsCert: cert, tlsKey: key };
    const log = { info() {}, error() {} };
    const held = await holdCertificate(files, systemClock, log);
    const first = held.current();
    const given: unknown[] = [];
    const renew = () =>
      held.renew({
        async renew(certificate) {
          given.push(certificate);
        },
      });
    await certificates.issue('renewed');
    await renew();
    const second = held.current();
    expect(second?.cert).not.toBe(first?.cert);
    writeFileSync(cert, 'junk');
    await renew();
    expect(held.current()).toBe(second);
    expect(given).toEqual([second]);
  });

  test('is refused with the key of another certificate', async () => {
    const other = await certificates.issue('other');
    expect(await problem(issued.cert, other.key)).toContain('is not that of');
  });

  test('is refused after it expires and before it is valid', async () => {
    const { cert, key } = issued;
    expect(await problem(cert, key, Date.now() + 31 * DAY_MS)).toContain('ended on');
    expect(await problem(cert, key, Date.now() - DAY_MS)).toContain('starts on');
  });

  test('is refused if a path is missing, is not a file, or holds something else', async () => {
    const text = certificates.file('text');
    writeFileSync(text, 'not PEM\n');
    const missing = certificates.file('missing');
    expect(await problem(missing, issued.key)).toMatch(/certificate .*cannot be read: ENOENT/);
    expect(await problem(issued.cert, missing)).toMatch(/key .*cannot be read: ENOENT/);
    expect(await problem(certificates.file(''), issued.key)).toContain('cannot be read: EISDIR');
    expect(await problem(text, issued.key)).toContain('no PEM certificate');
    expect(await problem(issued.cert, text)).toContain('no PEM private key');
    expect(await problem(issued.key, issued.cert)).toContain('no PEM certificate');
  });
});
