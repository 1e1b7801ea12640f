import { chmodSync } from 'node:fs';
import { programPath } from './program.ts';
import { createTemporaryFolder } from './temporary.ts';

/** PEM files: a server's certificate, the authority that signed it, and one that did not. */
export interface Certificates extends Disposable {
  readonly authority: string;
  readonly otherAuthority: string;
  readonly otherKey: string;
  /** For the address 127.0.0.1, not for the name localhost. */
  readonly certificate: string;
  readonly key: string;
  /** The path of another file in the same folder. */
  file(name: string): string;
  /**
   * Has the authority sign another certificate with this common name, for the address 127.0.0.1 or
   * other subjects such as `DNS:shop.test`.
   */
  issue(name: string, kind?: KeyKind, subjects?: string): Promise<IssuedFiles>;
}

/** The type of key; an elliptic curve by default. */
type KeyKind = keyof typeof KEY_OPTIONS;

const KEY_OPTIONS = { ec: 'ec_paramgen_curve:prime256v1', rsa: 'rsa_keygen_bits:2048' };

/** A certificate and its key, as PEM files. */
export interface IssuedFiles {
  readonly cert: string;
  readonly key: string;
}

/** Creates certificates with openssl. Any user can read them, so test servers can too. */
export async function createCertificates(): Promise<Certificates> {
  const folder = createTemporaryFolder();
  chmodSync(folder.path, 0o755);
  const openssl = programPath('openssl', 'openssl');
  const run = async (...args: string[]) => {
    const child = Bun.spawn([openssl, ...args], { stdout: 'ignore', stderr: 'pipe' });
    if ((await child.exited) !== 0) throw new Error(await child.stderr.text());
  };
  const path = (name: string) => folder.file(`${name}.pem`);
  const newKey = (name: string, kind: KeyKind = 'ec') => [
    ...['-newkey', kind, '-pkeyopt', KEY_OPTIONS[kind], '-nodes'],
    ...['-keyout', path(`${name}-key`), '-subj', `/CN=${name}`],
  ];
  for (const name of ['authority', 'other-authority']) {
    await run('req', '-x509', ...newKey(name), '-out', path(name));
  }
  async function issue(
    name: string,
    kind?: KeyKind,
    subjects = 'IP:127.0.0.1',
  ): Promise<IssuedFiles> {
    const names = ['-addext', `subjectAltName=${subjects}`];
    await run('req', ...newKey(name, kind), ...names, '-out', path('request'));
    const signer = ['-CA', path('authority'), '-CAkey', path('authority-key'), '-CAcreateserial'];
    const request = ['-req', '-in', path('request'), '-copy_extensions', 'copy'];
    await run('x509', ...request, ...signer, '-out', path(name));
    return { cert: path(name), key: path(`${name}-key`) };
  }
  const { cert: certificate, key } = await issue('server');
  return {
    authority: path('authority'),
    otherAuthority: path('other-authority'),
    otherKey: path('other-authority-key'),
    certificate,
    key,
    file: folder.file,
    issue,
    [Symbol.dispose]: folder[Symbol.dispose],
  };
}
